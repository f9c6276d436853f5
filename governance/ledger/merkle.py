"""The Merkle tree of RFC 6962, section 2.1, as arithmetic on hashes.

A tree of any size is made of *perfect subtrees*, whose hashes never change once they are full. Whoever stores those
can add a leaf, give the root at any earlier size and prove anything with a number of reads that grows as the logarithm
of the size. Hashes are 32 bytes; leaves are counted from 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

#: SHA-256 of nothing: the root of the tree without leaves.
EMPTY_ROOT = hashlib.sha256(b"").digest()
#: Different first bytes, so that no leaf can be passed off as a node.
LEAF_PREFIX, NODE_PREFIX = b"\x00", b"\x01"


class Subtree(NamedTuple):
    """The perfect subtree over leaves ``place * 2**level`` up to, not including, ``(place + 1) * 2**level``."""

    level: int
    place: int

    @property
    def last_leaf(self) -> int:
        """The leaf that fills it."""
        return ((self.place + 1) << self.level) - 1


class Span(NamedTuple):
    """The leaves from ``first`` up to, not including, ``end``; a proof is a list of hashes of these."""

    first: int
    end: int


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry's bytes."""
    return hashlib.sha256(LEAF_PREFIX + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two neighbouring subtrees."""
    return hashlib.sha256(NODE_PREFIX + left + right).digest()


def subtrees_of(span: Span) -> list[Subtree]:
    """The perfect subtrees that a span is made of, from left to right, each smaller than the one before.

    Args:
        span: of a tree, or of a proof: its start is a multiple of a power of two that is not below its length.
    """
    found, at = [], span.first
    while at < span.end:
        level = (span.end - at).bit_length() - 1
        found.append(Subtree(level, at >> level))
        at += 1 << level
    return found


def joined(hashes: Sequence[bytes]) -> bytes:
    """The hash over perfect subtrees that get smaller to the right; :data:`EMPTY_ROOT` over none."""
    if not hashes:
        return EMPTY_ROOT
    result = hashes[-1]
    for left in reversed(hashes[:-1]):
        result = node_hash(left, result)
    return result


def filled_by(index: int, leaf: bytes, subtrees_before: Sequence[bytes]) -> list[bytes]:
    """Hashes of the perfect subtrees of more than one leaf that the leaf at ``index`` fills, the smallest first.

    Args:
        index: of the new leaf, which is the size of the tree before.
        leaf: its hash.
        subtrees_before: hashes of the perfect subtrees of the tree before, from left to right.
    """
    filled, latest, left = [], leaf, list(subtrees_before)
    while index & 1:
        latest = node_hash(left.pop(), latest)
        filled.append(latest)
        index >>= 1
    return filled


def inclusion_spans(index: int, size: int) -> list[Span]:
    """The audit path PATH(index, D[size]): what to hash in, from the leaf up.

    Raises:
        ValueError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size}")
    spans, first, end = [], 0, size
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            spans.append(Span(middle, end))
            end = middle
        else:
            spans.append(Span(first, middle))
            first = middle
    return spans[::-1]


def consistency_spans(first_size: int, second_size: int) -> list[Span]:
    """PROOF(first_size, D[second_size]): what shows that the first tree is a prefix of the second.

    Raises:
        ValueError: not ``1 <= first_size <= second_size``.
    """
    if not 1 <= first_size <= second_size:
        raise ValueError(f"no proof from {first_size} to {second_size}")
    spans, first, end, whole = [], 0, second_size, True
    while first_size < end:
        middle = first + _split(end - first)
        if first_size <= middle:
            spans.append(Span(middle, end))
            end = middle
        else:
            spans.append(Span(first, middle))
            first, whole = middle, False
    if not whole:
        # The verifier knows the old root, but not the hash of its ragged right end.
        spans.append(Span(first, end))
    return spans[::-1]


def _split(length: int) -> int:
    """The largest power of two below ``length``."""
    return 1 << (length - 1).bit_length() - 1


def hashes_of(spans: Sequence[Span], read: Callable[[list[Subtree]], dict[Subtree, bytes]]) -> list[bytes]:
    """One hash for each span, with one read for all of them.

    Args:
        read: gives the hashes of full perfect subtrees.
    """
    parts = [subtrees_of(span) for span in spans]
    known = read([subtree for part in parts for subtree in part])
    return [joined([known[subtree] for subtree in part]) for part in parts]


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof shows the leaf at ``index`` of the tree with this root (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last, result = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            result = node_hash(step, result)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            result = node_hash(result, step)
        node, last = node >> 1, last >> 1
    return last == 0 and result == root


def verify_consistency(
    first_size: int, second_size: int, proof: Sequence[bytes], first_root: bytes, second_root: bytes
) -> bool:
    """Whether the proof shows that the first tree is a prefix of the second (RFC 9162, section 2.1.4.2)."""
    if not 1 <= first_size <= second_size:
        return False
    if first_size == second_size:
        return not proof and first_root == second_root
    steps = list(proof)
    if first_size & (first_size - 1) == 0:
        steps.insert(0, first_root)
    if not steps:
        return False
    node, last = first_size - 1, second_size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, step)
        node, last = node >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root
