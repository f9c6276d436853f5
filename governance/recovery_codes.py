"""Recovery codes: how somebody without an account proves which judge they are once their browser is gone.

A code is derived from the judge with the site's secret, so that it can be shown to its owner again and is stored
nowhere; kept is its digest, so that codes given out before hold when the secret is changed.
"""

import hashlib

from django.utils.crypto import salted_hmac

from governance.models import Judge, RecoveryCode

SALT = "governance.recovery_codes"
#: Sixteen characters of 5 bits: 80 bits, far beyond trying, and short enough to be copied by hand.
LENGTH = 16
#: Crockford's alphabet: no letter that is taken for a digit.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans("OIL", "011")


def recovery_code(judge: Judge) -> str:
    """The code of a judge, in groups of four; from now on it is known."""
    key = salted_hmac(SALT, judge.pk, algorithm="sha256").digest()
    number = int.from_bytes(key, "big")
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in range(LENGTH))
    RecoveryCode.objects.get_or_create(digest=_digest(letters), defaults={"judge": judge})
    return "-".join(letters[start : start + 4] for start in range(0, LENGTH, 4))


def judge_of_code(typed: str) -> Judge | None:
    """Whose code it is, however it is spaced and in whichever case it is typed; None for no code."""
    letters = "".join(character for character in typed.upper() if character.isalnum()).translate(_MISREAD)
    known = RecoveryCode.objects.select_related("judge").filter(digest=_digest(letters), judge__erased_at=None).first()
    return known.judge if known else None


def _digest(letters: str) -> str:
    return hashlib.sha256(letters.encode(errors="replace")).hexdigest()
