"""Settings of the property tests of this folder."""

from __future__ import annotations

from hypothesis import settings

# A fit takes milliseconds on a quiet machine and seconds on a busy one: time is no property of these functions.
settings.register_profile("arithmetic", deadline=None, max_examples=60)
settings.load_profile("arithmetic")
