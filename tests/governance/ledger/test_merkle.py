"""The tree against the definitions of RFC 6962 written out, against known trees, and against tampered proofs."""

import hashlib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from governance.ledger import merkle
from governance.ledger.merkle import Span, Subtree

#: The eight leaves that Certificate Transparency's implementations test with, and the roots of the first n of them.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PATH_OF_THE_FIRST_OF_EIGHT = [
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
]
FROM_SIX_TO_EIGHT = [
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
]


class Tree:
    """Grown leaf by leaf, keeping the hashes of full subtrees as the ledger does."""

    def __init__(self, entries):
        self.stored, self.leaves = {}, []
        for index, entry in enumerate(entries):
            leaf = merkle.leaf_hash(entry)
            before = [self.stored[subtree] for subtree in merkle.subtrees_of(Span(0, index))]
            for level, value in enumerate([leaf, *merkle.filled_by(index, leaf, before)]):
                self.stored[Subtree(level, index >> level)] = value
            self.leaves.append(leaf)

    def read(self, wanted):
        return {subtree: self.stored[subtree] for subtree in wanted}

    def root(self, size):
        return merkle.hashes_of([Span(0, size)], self.read)[0]

    def inclusion(self, index, size):
        return merkle.hashes_of(merkle.inclusion_spans(index, size), self.read)

    def consistency(self, first, second):
        return merkle.hashes_of(merkle.consistency_spans(first, second), self.read)


def largest_power_below(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def head(entries):
    """MTH of section 2.1, as it is written."""
    if not entries:
        return hashlib.sha256(b"").digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    k = largest_power_below(len(entries))
    return hashlib.sha256(b"\x01" + head(entries[:k]) + head(entries[k:])).digest()


def path(m, entries):
    """PATH of section 2.1.1, as it is written."""
    if len(entries) == 1:
        return []
    k = largest_power_below(len(entries))
    if m < k:
        return [*path(m, entries[:k]), head(entries[k:])]
    return [*path(m - k, entries[k:]), head(entries[:k])]


def subproof(m, entries, complete):
    """SUBPROOF of section 2.1.2, as it is written."""
    if m == len(entries):
        return [] if complete else [head(entries)]
    k = largest_power_below(len(entries))
    if m <= k:
        return [*subproof(m, entries[:k], complete), head(entries[k:])]
    return [*subproof(m - k, entries[k:], False), head(entries[:k])]


trees = st.lists(st.binary(max_size=6), min_size=1, max_size=70)


def test_known_roots_and_proofs():
    tree = Tree(LEAVES)
    assert [tree.root(size).hex() for size in range(9)] == ROOTS
    assert [step.hex() for step in tree.inclusion(0, 8)] == PATH_OF_THE_FIRST_OF_EIGHT
    assert [step.hex() for step in tree.consistency(6, 8)] == FROM_SIX_TO_EIGHT


@given(trees, st.data())
def test_roots_and_proofs_are_those_that_the_rfc_defines(entries, data):
    tree = Tree(entries)
    size = data.draw(st.integers(1, len(entries)))
    index, first = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    assert tree.root(size) == head(entries[:size])
    assert tree.inclusion(index, size) == path(index, entries[:size])
    assert tree.consistency(first, size) == subproof(first, entries[:size], True)


@given(trees, st.data())
def test_every_proof_verifies(entries, data):
    tree = Tree(entries)
    size = data.draw(st.integers(1, len(entries)))
    index, first = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    root = tree.root(size)
    assert merkle.verify_inclusion(tree.leaves[index], index, size, tree.inclusion(index, size), root)
    assert merkle.verify_consistency(first, size, tree.consistency(first, size), tree.root(first), root)


def tampered_with(proof, data):
    """The proof with a bit turned, a step lost, a step too many, or two steps exchanged."""
    way = data.draw(st.sampled_from(["turn", "drop", "add", "swap"]))
    changed = list(proof)
    if way == "add" or not changed:
        changed.insert(data.draw(st.integers(0, len(changed))), data.draw(st.binary(min_size=32, max_size=32)))
        return changed
    at = data.draw(st.integers(0, len(changed) - 1))
    if way == "turn":
        step, bit = bytearray(changed[at]), data.draw(st.integers(0, 255))
        step[bit // 8] ^= 1 << bit % 8
        changed[at] = bytes(step)
    elif way == "drop":
        del changed[at]
    else:
        changed[at - 1], changed[at] = changed[at], changed[at - 1]
        assume(changed != list(proof))
    return changed


@given(trees, st.data())
def test_a_tampered_inclusion_never_verifies(entries, data):
    tree, size = Tree(entries), len(entries)
    index = data.draw(st.integers(0, size - 1))
    leaf, proof, root = tree.leaves[index], tree.inclusion(index, size), tree.root(size)
    assert not merkle.verify_inclusion(leaf, index, size, tampered_with(proof, data), root)
    other = merkle.leaf_hash(b"never an entry")
    assert not merkle.verify_inclusion(other, index, size, proof, root)
    assert not merkle.verify_inclusion(leaf, size, size, proof, root)
    elsewhere = data.draw(st.integers(0, size - 1))
    assume(tree.leaves[elsewhere] != leaf)
    assert not merkle.verify_inclusion(leaf, elsewhere, size, proof, root)


@given(trees, st.data())
def test_a_tampered_consistency_never_verifies(entries, data):
    tree, second = Tree(entries), len(entries)
    first = data.draw(st.integers(1, second))
    proof, old, new = tree.consistency(first, second), tree.root(first), tree.root(second)
    assert not merkle.verify_consistency(first, second, tampered_with(proof, data), old, new)
    other = merkle.leaf_hash(b"never a root")
    assert not merkle.verify_consistency(first, second, proof, other, new)
    assert not merkle.verify_consistency(first, second, proof, old, other)


@given(st.lists(st.binary(max_size=3), min_size=2, max_size=40), st.data())
def test_a_rewritten_past_has_no_proof(entries, data):
    """The proof of the rewritten tree itself does not connect the old root to it."""
    first = data.draw(st.integers(1, len(entries)))
    rewritten = list(entries)
    rewritten[data.draw(st.integers(0, first - 1))] = b"something else"
    then, now = Tree(entries), Tree(rewritten)
    proof = now.consistency(first, len(entries))
    assert not merkle.verify_consistency(first, len(entries), proof, then.root(first), now.root(len(entries)))


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_there_is_no_path_to_a_leaf_that_is_not_there(index, size):
    with pytest.raises(ValueError, match="no leaf"):
        merkle.inclusion_spans(index, size)


@pytest.mark.parametrize(("first", "second"), [(0, 3), (4, 3)])
def test_there_is_no_proof_from_nothing_or_backwards(first, second):
    with pytest.raises(ValueError, match="no proof"):
        merkle.consistency_spans(first, second)


@given(st.integers(1, 2**40))
def test_a_proof_grows_as_the_logarithm_of_the_size(size):
    index = size // 3
    assert len(merkle.inclusion_spans(index, size)) <= size.bit_length()
    assert len(merkle.subtrees_of(Span(0, size))) <= size.bit_length()
    assert len(merkle.consistency_spans(max(1, index), size)) <= size.bit_length() + 1
