"""People with accounts, as tests need them: the sum is done by the library, as a browser does it by our script."""

import json

from altcha import Challenge, Payload, solve_challenge

from arena_site.accounts.models import Account
from arena_site.accounts.proof import challenge_for

PASSWORD = "violet barge pendulum"


def solved(purpose="sign-up", challenge=None):
    """A solved challenge, as the hidden field of a form has it."""
    challenge = Challenge.from_dict(json.loads(json.dumps(challenge or challenge_for(purpose))))
    return Payload(challenge, solve_challenge(challenge)).to_base64()


def sign_up(client, name="margot", password=PASSWORD, *, proof=None, **fields):
    values = {"username": name, "password1": password, "password2": password}
    values["proof"] = solved() if proof is None else proof
    options = {key: fields.pop(key) for key in list(fields) if key.isupper() or key == "headers"}
    return client.post("/account/sign-up", values | fields, **options)


def sign_in(client, name="margot", password=PASSWORD, **fields):
    options = {key: fields.pop(key) for key in list(fields) if key.isupper() or key == "headers"}
    return client.post("/account/sign-in", {"login": name, "password": password} | fields, **options)


def sign_out(client):
    return client.post("/account/sign-out")


def make_account(name="margot", password=PASSWORD):
    return Account.objects.create_user(name, password)


def identifier_in(client):
    """The judge's identifier in this client's cookie."""
    return client.cookies["ringside_judge"].value.split(":")[0]
