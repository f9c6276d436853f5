"""What was typed before signing in, kept in the session and given back afterwards.

A view that takes a form only from people who are signed in hands it over::

    return sign_in_first(request, name=f"vote:{battle_id}", back_to=reverse("battle", args=[battle_id]))

and the page of that form takes it back, once, to fill itself in::

    typed = take_draft(request, f"vote:{battle_id}")

The session keeps its content when somebody signs in or makes an account, and loses it when they sign out.
"""

from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from arena_site.accounts.limits import DRAFTS, take_from_network
from governance.errors import TooMany

SESSION_KEY = "drafts"
#: A vote with its note and a task at its longest both fit.
DRAFT_MAX = 20_000
#: Tabs somebody may have open at once; the oldest draft goes first.
DRAFTS_MAX = 5
#: Long enough to find a password; what nobody came back for is swept away.
KEPT_FOR = timedelta(days=1)
#: Good for one sending only, or about the form and not its content.
NOT_KEPT = frozenset({"csrfmiddlewaretoken", "proof", "stage", "next"})


def keep_draft(request: HttpRequest, *, name: str) -> bool:
    """Keep the posted form under a name; False when it is too long or too much was kept already."""
    fields = request.POST.copy()
    for field in NOT_KEPT:
        fields.pop(field, None)
    text = fields.urlencode()
    if len(text) > DRAFT_MAX:
        return False
    try:
        take_from_network(DRAFTS, request)
    except TooMany:
        return False
    drafts = {known: kept for known, kept in _drafts(request).items() if known != name}
    drafts[name] = text
    request.session[SESSION_KEY] = dict(list(drafts.items())[-DRAFTS_MAX:])
    if not request.user.is_authenticated:
        request.session.set_expiry(KEPT_FOR)
    return True


def take_draft(request: HttpRequest, name: str) -> QueryDict | None:
    """What was kept under a name, as it was posted, or None; from then on it is kept no more."""
    drafts = _drafts(request)
    if name not in drafts:
        return None
    text = drafts.pop(name)
    request.session[SESSION_KEY] = drafts
    return QueryDict(text)


def draft_names(request: HttpRequest) -> list[str]:
    """The names of everything kept, oldest first."""
    return list(_drafts(request))


def sign_in_first(request: HttpRequest, *, name: str, back_to: str) -> HttpResponse:
    """Keep the posted form and lead to signing in, and from there to a path of this site that fills it in again."""
    keep_draft(request, name=name)
    address = f"{reverse('account_login')}?{urlencode({'next': back_to})}"
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(address)
    return HttpResponseRedirect(address)


def _drafts(request: HttpRequest) -> dict[str, str]:
    # A page does not depend on a session that its visitor has not got.
    if settings.SESSION_COOKIE_NAME not in request.COOKIES and not request.session.modified:
        return {}
    return dict(request.session.get(SESSION_KEY, {}))
