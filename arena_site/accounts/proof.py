"""Proof of work: a sum that costs a browser half a second and a machine that wants thousands a fortune.

The challenge is signed, expires, names what it is for, and counts once. A check that cannot run, for want of scripts
say, has the outcome ``unverified``; only one that ran and failed is refused.
"""

import base64
import hashlib
import json
import secrets
from datetime import timedelta
from typing import Any

from altcha import create_challenge, verify_solution
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from arena_site.accounts.models import ProofRecord, SpentProof
from governance.errors import ArenaError

KEY_SALT = "arena_site.accounts.proof"
ALGORITHM = "SHA-256"
#: Hashes for one guess: one, so that the count of guesses is the work.
COST = 1
#: Guesses from nought up to a number in this range solve it: a few hundred milliseconds on a slow phone.
LEAST_GUESSES = 30_000
MOST_GUESSES = 70_000
#: The script asks for another one when a page was open for long.
VALID_FOR = timedelta(minutes=30)
#: A solved challenge has some 700 characters.
PAYLOAD_MAX = 3_000


class ProofRefused(ArenaError):
    """The check ran and failed: forged, for something else, too old, or used before."""

    code = "proof_refused"
    status = 422


def challenge_for(purpose: str) -> dict[str, Any]:
    """A signed challenge as JSON values; ``parameters.data`` has its purpose and the most guesses it can take."""
    challenge = create_challenge(
        ALGORITHM,
        COST,
        counter=LEAST_GUESSES + secrets.randbelow(MOST_GUESSES - LEAST_GUESSES + 1),
        expires_at=timezone.now() + VALID_FOR,
        data={"for": purpose, "most": MOST_GUESSES},
        hmac_secret=_key(),
    )
    return challenge.to_dict()


def check_proof(text: str, *, purpose: str) -> ProofRecord.State:
    """Spend a solved challenge, as base64 of JSON; without any, the outcome is ``unverified``.

    Inside a transaction that is rolled back, it was not spent.

    Raises:
        ProofRefused: ``proof_forged``, ``proof_expired`` or ``proof_used``.
    """
    if not text:
        return ProofRecord.State.UNVERIFIED
    asked_for, signature = _read(text)
    result = verify_solution(text, _key())
    if result.expired:
        raise ProofRefused("The page was open for too long. Please send it again.", code="proof_expired")
    if not result.verified or asked_for != purpose:
        raise _forged()
    try:
        with transaction.atomic():
            SpentProof.objects.create(
                digest=hashlib.sha256(signature.encode()).hexdigest(), expires_at=timezone.now() + VALID_FOR
            )
    except IntegrityError:
        raise ProofRefused("This was sent before. Please send it again.", code="proof_used") from None
    return ProofRecord.State.VERIFIED


def _read(text: str) -> tuple[str, str]:
    """What a challenge says it is for, and its signature, unchecked both."""
    if len(text) > PAYLOAD_MAX:
        raise _forged()
    try:
        challenge = json.loads(base64.b64decode(text, validate=True))["challenge"]
        asked_for, signature = challenge["parameters"]["data"]["for"], challenge["signature"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _forged() from None
    if not (isinstance(asked_for, str) and isinstance(signature, str)):
        raise _forged()
    return asked_for, signature


def _forged() -> ProofRefused:
    return ProofRefused("The check by your browser did not come out right. Please send it again.", code="proof_forged")


def _key() -> bytes:
    return salted_hmac(KEY_SALT, "challenge", algorithm="sha256").digest()
