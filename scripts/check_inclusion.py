#!/usr/bin/env python3
"""Check for yourself that an entry is in the ledger of an arena. Needs Python 3.9 or newer and nothing else.

From the arena:  check_inclusion.py --key KEY --url https://arena.example/api/ledger --index 7
From files:      check_inclusion.py --key KEY --index 7 --checkpoint FILE --inclusion FILE --entries FILE
KEY is the arena's public key, name+id+key, from wherever you trust. The files are answers of its /api/ledger.
--older FILE, a checkpoint you kept: nothing before it may have changed (from files: --consistency FILE).
--document FILE: the entry must be about it. Exit status: 0 all holds, 1 something does not, 2 the input cannot be read.
"""

import argparse
import base64
import hashlib
import json
import sys
import urllib.request

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


class DoesNotHold(Exception): ...


def add(a, b):
    """The sum of two points of the curve in extended coordinates (RFC 8032, section 5.1.4)."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(n, point):
    return add(times(n - 1, point), point) if n & 1 else times(n >> 1, add(point, point)) if n else (0, 1, 1, 0)


def point_of(encoded):
    """The point that 32 bytes stand for (section 5.1.3)."""
    y, sign = int.from_bytes(encoded, "little") & (1 << 255) - 1, encoded[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        raise DoesNotHold("a key or a signature is no point of the curve")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def ed25519_verifies(public, signature, message):
    """Section 5.1.7 of RFC 8032."""
    s = int.from_bytes(signature[32:], "little")
    if len(public) != 32 or len(signature) != 64 or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    a, b = times(s, point_of(b"\x58" + b"\x66" * 31)), add(point_of(signature[:32]), times(k, point_of(public)))
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def read_checkpoint(note, keys):
    """The origin, the size and the root of a note that one of the keys signed."""
    text, _, lines = note.decode().rpartition("\n\n")
    origin, size, root = text.split("\n")
    if size != str(int(size)):
        raise DoesNotHold("the checkpoint's size is not written as a number")
    for line in lines.splitlines():
        name, blob = line.split(" ")[1], base64.b64decode(line.split(" ")[2], validate=True)
        for key in keys:
            key_name, told, encoded = key.split("+", 2)
            public = base64.b64decode(encoded)
            key_id = hashlib.sha256(key_name.encode() + b"\n" + public).digest()[:4]
            if public[:1] == b"\x01" and (name, blob[:4]) == (key_name, key_id) == (origin, bytes.fromhex(told)):
                if not ed25519_verifies(public[1:], blob[4:], text.encode() + b"\n"):
                    raise DoesNotHold(f"the signature of {name} is wrong")
                return origin, int(size), base64.b64decode(root, validate=True)
    raise DoesNotHold("no key that you gave signed the checkpoint")


def climb(node, last, proof, start):
    """Hash a proof from the bottom up (RFC 9162, sections 2.1.3.2 and 2.1.4.2): the older root and the newer."""
    old = new = start
    for step in proof:
        if last == 0:
            raise DoesNotHold("the proof is too long")
        if node & 1 or node == last:
            old, new = (hashlib.sha256(b"\x01" + step + value).digest() for value in (old, new))
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            new = hashlib.sha256(b"\x01" + new + step).digest()
        node, last = node >> 1, last >> 1
    if last:
        raise DoesNotHold("the proof is too short")
    return old, new


def check_prefix(first, first_root, second, second_root, proof):
    """That the tree you kept is the beginning of the tree of now."""
    if not 1 <= first <= second or (first == second and first_root != second_root):
        raise DoesNotHold("the checkpoint you kept is no earlier state of this ledger")
    if first < second:
        steps = ([first_root] if first & (first - 1) == 0 else []) + proof
        node, last = first - 1, second - 1
        while node & 1:
            node, last = node >> 1, last >> 1
        if not steps or climb(node, last, steps[1:], steps[0]) != (first_root, second_root):
            raise DoesNotHold("what was signed before was changed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", action="append", required=True, help="repeat it after a change of key")
    for name in ("url", "checkpoint", "inclusion", "entries", "older", "consistency", "document"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--index", type=int, required=True, help="which entry, counted from 0")
    asked = parser.parse_args()

    def get(name, query=None):
        place = getattr(asked, name) if query is None or not asked.url else f"{asked.url}/{name}{query}"
        with urllib.request.urlopen(place, timeout=60) if "://" in place else open(place, "rb") as answer:  # noqa: S310 - yours
            return answer.read()

    origin, size, root = read_checkpoint(get("checkpoint", ""), asked.key)
    proof = json.loads(get("inclusion", f"?index={asked.index}&size={size}"))
    entry = json.loads(get("entries", f"?index={asked.index}"))["entries"][0]
    if not asked.index == entry["index"] == proof["index"] < size == proof["size"]:
        raise DoesNotHold("the answers are about different entries or sizes")
    leaf = hashlib.sha256(b"\x00" + entry["text"].encode()).digest()
    if climb(asked.index, size - 1, [bytes.fromhex(step) for step in proof["hashes"]], leaf)[1] != root:
        raise DoesNotHold("the entry is not in the tree that was signed")
    if asked.document and hashlib.sha256(get("document")).hexdigest() != json.loads(entry["text"])["subject"]:
        raise DoesNotHold("the entry is about another document")
    if asked.older:
        kept, first, first_root = read_checkpoint(get("older"), asked.key)
        if kept != origin:
            raise DoesNotHold("the checkpoint you kept is of another ledger")
        steps = json.loads(get("consistency", f"?first={first}&second={size}"))["hashes"] if 0 < first < size else []
        check_prefix(first, first_root, size, root, [bytes.fromhex(step) for step in steps])
    print(f"Entry {asked.index} of {size} holds: {ascii(entry['text'])[1:-1]}")


if __name__ == "__main__":
    try:
        main()
    except DoesNotHold as problem:
        sys.exit(f"DOES NOT HOLD: {problem}.")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as problem:
        print(f"The input cannot be read: {problem!r}", file=sys.stderr)
        sys.exit(2)
