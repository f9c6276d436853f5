"""Own battles that a judge put aside with "Later", kept in the session.

They come first again in another browser and after signing out; that costs one more click on "Later".
"""

import uuid

from django.conf import settings
from django.http import HttpRequest

SESSION_KEY = "put_aside"
#: A session stays small; whoever puts more aside meets the first ones again.
MOST = 100


def put_aside(request: HttpRequest) -> list[uuid.UUID]:
    """The battles that this browser put aside, the oldest first."""
    # A page does not depend on a session that its visitor has not got.
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return []
    return [uuid.UUID(battle) for battle in request.session.get(SESSION_KEY, [])]


def put_battle_aside(request: HttpRequest, battle_id: uuid.UUID) -> None:
    """Remember that this battle may wait."""
    aside = [battle for battle in put_aside(request) if battle != battle_id]
    request.session[SESSION_KEY] = [str(battle) for battle in [*aside, battle_id]][-MOST:]
