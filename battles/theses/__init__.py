"""What this app is believed to do, chapter by chapter, each beside the mechanism it names."""

import battles.theses.blindness
import battles.theses.live_tasks
import battles.theses.matchmaking  # noqa: F401  # importing them registers the theses
