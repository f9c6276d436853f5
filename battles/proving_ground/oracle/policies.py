"""All policies of the oracle by task."""

from __future__ import annotations

from collections.abc import Mapping

from battles.proving_ground.oracle import choosing, clicking, dragging, drawing, posts, racing, writing
from battles.proving_ground.oracle.scene import Policy

POLICIES: Mapping[str, Policy] = {
    **choosing.POLICIES,
    **clicking.POLICIES,
    **dragging.POLICIES,
    **drawing.POLICIES,
    **posts.POLICIES,
    **racing.POLICIES,
    **writing.POLICIES,
}
