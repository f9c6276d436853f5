"""The roster from the terminal: add agents, list them, check them, retire them."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.dateparse import parse_datetime

from arena_site.services.embedded import running_services
from battles.affiliation import affiliate_agent
from battles.agents.registry import ADAPTERS, parameters_of
from battles.aliases import enter_alias
from battles.draw_shares import LOOKED_BACK, draw_shares
from battles.merges import effect_of_merging, merge_agents, merges_in_force, unmerge_agents
from battles.models import Agent
from battles.roster import KEY_PATTERN, NoSuchAgent, retire_agent, roster_agent
from battles.roster_checks import Call, Finding, call_once, check_agent
from governance.errors import ArenaError

ACTOR = "operator:terminal"
MARKS = {True: "ok  ", False: "FAIL", None: "note"}


class Command(BaseCommand):
    help = (
        "Manage the roster: the agents that may be drawn, each with its version pinned. Keys are never stored: a row "
        "names the environment variable that holds one. Exit status 1 when a check fails, 2 when a request is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(
            dest="action", required=True, metavar="add|list|check|retire|affiliate|alias|merge|unmerge|shares|adapters"
        )
        self._add_arguments_of_add(actions.add_parser("add", help="Put an agent on the roster."))
        listed = actions.add_parser("list", help="Show the roster.")
        listed.add_argument("--json", action="store_true", help="Print it as JSON.")
        check = actions.add_parser("check", help="Say whether agents are ready to race.")
        check.add_argument("keys", nargs="*", metavar="KEY", help="Which; all active ones by default.")
        check.add_argument(
            "--call", action="store_true", help="Also make one call to each hosted model. This is paid for."
        )
        check.add_argument("--json", action="store_true", help="Print the findings as JSON.")
        retire = actions.add_parser("retire", help="Give notice that an agent leaves the draw for good.")
        retire.add_argument("key", help="Which.")
        retire.add_argument("--cause", required=True, choices=Agent.Cause.values, help="What it leaves for.")
        retire.add_argument("--reason", required=True, help="Why, as it will be published.")
        affiliate = actions.add_parser("affiliate", help="Say that you have a stake in an agent from now on.")
        affiliate.add_argument("key", help="Which; it is neither drawn nor ranked any more.")
        affiliate.add_argument("--from", dest="since", default="", help="As 2027-06-27T07:00Z; now by default.")
        affiliate.add_argument("--reason", required=True, help="What the stake is, as it will be published.")
        merge = actions.add_parser("merge", help="Count what two versions raced in one row of the board.")
        merge.add_argument("key", help="The version that gets no row of its own any more.")
        merge.add_argument("into", help="The version in whose row both count.")
        merge.add_argument("--reason", required=True, help="Why they are one model, as it will be published.")
        merge.add_argument("--yes", action="store_true", help="Do it; without this, only what it would do is shown.")
        unmerge = actions.add_parser("unmerge", help="Count a joined version in its own row again.")
        unmerge.add_argument("key", help="Which.")
        unmerge.add_argument("--reason", required=True, help="Why they are two after all, as it will be published.")
        alias = actions.add_parser("alias", help="Say which agent a moving name stands for from an instant on.")
        alias.add_argument("alias", help="The name under which the provider serves it.")
        alias.add_argument("key", help="The agent.")
        alias.add_argument(
            "--from", dest="since", default="", help="As 2023-06-27T07:00Z, inclusive; since ever by default."
        )
        alias.add_argument("--source", required=True, help="Where that is announced, and when it was read.")
        actions.add_parser(
            "shares",
            help=f"Show how often agents were drawn in {LOOKED_BACK.days} days, against what was expected.",
        )
        actions.add_parser("adapters", help="Show the adapters and the parameters of each.")

    def _add_arguments_of_add(self, add: ArgumentParser) -> None:
        add.add_argument("key", help='For addresses: small letters, digits and "-".')
        add.add_argument("--name", required=True, help="As people read it.")
        add.add_argument("--provider", required=True, help="Who makes the model.")
        add.add_argument("--adapter", required=True, choices=sorted(ADAPTERS), help="What drives it.")
        add.add_argument("--model-version", required=True, help="The pinned version, as the provider's API names it.")
        add.add_argument("--base-url", default="", help="Address of the API, where it is not the provider's own.")
        add.add_argument("--key-variable", default="", help="Environment variable that holds the key.")
        add.add_argument(
            "--parameter",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help='One parameter of the adapter; may be repeated. "roster adapters" names them.',
        )
        add.add_argument("--baseline", action="store_true", help="A baseline, not a model: ranked on the demo board.")
        add.add_argument(
            "--operator-affiliated", action="store_true", help="You have a stake in it: it is never drawn or ranked."
        )
        add.add_argument(
            "--looks-alike-confirmed", action="store_true", help="The name looks like another one, and you want it."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "adapters":
            self._adapters()
            return
        with running_services(owner="manage.py roster"):
            try:
                ready = getattr(self, f"_{options['action']}")(options)
            except ArenaError as refusal:
                self.stderr.write(f"{refusal.message} [{refusal.code}]")
                sys.exit(2)
        if ready is False:
            sys.exit(1)

    def _add(self, options: dict[str, Any]) -> None:
        agent = roster_agent(
            key=options["key"],
            name=options["name"],
            provider=options["provider"],
            adapter=options["adapter"],
            model_version=options["model_version"],
            kind=Agent.Kind.BASELINE if options["baseline"] else Agent.Kind.MODEL,
            base_url=options["base_url"],
            key_variable=options["key_variable"],
            parameters=_parameters(options["parameter"]),
            operator_affiliated=options["operator_affiliated"],
            looks_alike_confirmed=options["looks_alike_confirmed"],
            actor=ACTOR,
        )
        self.stdout.write(f'"{agent.name}" is on the roster, pinned to {agent.model_version}.')
        self.stdout.write(f"To see whether it is ready: manage.py roster check {agent.key}")

    def _list(self, options: dict[str, Any]) -> None:
        agents = list(Agent.objects.order_by("state", "kind", "key"))
        joined = {key: merge.into_id for key, merge in merges_in_force().items()}
        if options["json"]:
            self.stdout.write(json.dumps([_row(agent, joined) for agent in agents], ensure_ascii=False))
            return
        for agent in agents:
            stake = ", operator-affiliated" if agent.affiliated_from else ""
            row = f", joined with {joined[agent.key]}" if agent.key in joined else ""
            self.stdout.write(
                f"{agent.key:<28} {agent.kind:<9} {agent.state:<8} {agent.adapter:<20} "
                f"{agent.model_version}{stake}{row}"
            )
        if not agents:
            self.stdout.write("The roster is empty.")

    def _check(self, options: dict[str, Any]) -> bool:
        agents = [_agent(key) for key in options["keys"]] or list(Agent.racing())
        report = []
        for agent in agents:
            findings = check_agent(agent)
            good = all(finding.ok is not False for finding in findings)
            call = call_once(agent) if options["call"] and good and ADAPTERS[agent.adapter].hosted else None
            report.append(_finding_row(agent, findings, call))
            if not options["json"]:
                self._tell(agent, findings, call)
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        return all(row["ready"] for row in report)

    def _tell(self, agent: Agent, findings: list[Finding], call: Call | None) -> None:
        self.stdout.write(f"{agent.key}  {agent.model_version}")
        for finding in findings:
            self.stdout.write(f"  {MARKS[finding.ok]}  {finding.what}: {finding.words}")
        if call is not None:
            self.stdout.write(f"  {MARKS[call.ok]}  call: {call.words} {call.seconds:.1f} s, {_usage_words(call)}")

    def _retire(self, options: dict[str, Any]) -> None:
        agent = retire_agent(key=options["key"], cause=options["cause"], reason=options["reason"], actor=ACTOR)
        leaves = f"{agent.retired_at:%Y-%m-%d %H:%M} UTC"
        self.stdout.write(f'"{agent.name}" is in the draw until {leaves}, and no more then. What it raced stays.')

    def _affiliate(self, options: dict[str, Any]) -> None:
        agent = affiliate_agent(
            key=options["key"], reason=options["reason"], affiliated_from=_instant(options["since"]), actor=ACTOR
        )
        self.stdout.write(
            f'"{agent.name}" is neither drawn nor ranked from {agent.affiliated_from:%Y-%m-%d %H:%M} UTC on.'
        )

    def _merge(self, options: dict[str, Any]) -> None:
        key, into = options["key"], options["into"]
        effect = effect_of_merging(agent_key=key, into_key=into, actor=ACTOR)
        if effect.boards is None:
            self.stdout.write(f"What it would do is being worked out. {effect.progress} Ask again to see it.")
        for board in effect.boards or ():
            self.stdout.write(
                f"{board.title}: {board.labels_before} labels rate, {board.labels_after} would; "
                f"{board.ranks_change} agents would get another range of ranks, the largest move is "
                f"{board.largest_move} points."
            )
        if not options["yes"]:
            self.stdout.write("Nothing was done. With --yes they are joined.")
            return
        merge_agents(agent_key=key, into_key=into, reason=options["reason"], actor=ACTOR)
        self.stdout.write(f"{key} counts in the row of {into} from the next fit on.")

    def _unmerge(self, options: dict[str, Any]) -> None:
        parted = unmerge_agents(agent_key=options["key"], reason=options["reason"], actor=ACTOR)
        self.stdout.write(f"{parted.agent_id} counts apart from {parted.into_id} from the next fit on.")

    def _alias(self, options: dict[str, Any]) -> None:
        since = _instant(options["since"])
        entered = enter_alias(
            alias=options["alias"],
            agent_key=options["key"],
            effective_from=since,
            source=options["source"],
            actor=ACTOR,
        )
        self.stdout.write(f'"{entered.alias}" stands for {entered.agent_id} from {since or "ever"} on.')

    def _shares(self, options: dict[str, Any]) -> None:
        for share in draw_shares():
            alarm = "  BELOW HALF" if share.alarming else ""
            self.stdout.write(
                f"{share.agent:<28} {share.share:6.1%} of draws, {share.expected_share:6.1%} expected{alarm}"
            )

    def _adapters(self) -> None:
        for adapter in sorted(ADAPTERS):
            self.stdout.write(adapter)
            for parameter in parameters_of(adapter):
                self.stdout.write(f"  {parameter.name}: {parameter.help}")


def _agent(key: str) -> Agent:
    # What the shell hands over need not be text that a database takes.
    agent = Agent.objects.filter(pk=key).first() if KEY_PATTERN.fullmatch(key) else None
    if agent is None:
        raise NoSuchAgent(key)
    return agent


def _instant(text: str) -> datetime | None:
    since = parse_datetime(text) if text else None
    if text and (since is None or since.tzinfo is None):
        raise CommandError("--from must be an instant with its offset, as 2023-06-27T07:00Z.")
    return since


def _parameters(pairs: list[str]) -> dict[str, Any]:
    """Values are read as JSON where they are some, else as text: ``temperature=0.2``, ``reasoning_effort=high``."""
    parameters: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise CommandError(f"--parameter must be NAME=VALUE, and {pair!r} is not.")
        if name in parameters:
            raise CommandError(f"--parameter {name} is given twice.")
        try:
            parameters[name] = json.loads(text)
        except (ValueError, RecursionError):
            parameters[name] = text
    return parameters


def _row(agent: Agent, joined: Mapping[str, str]) -> dict[str, Any]:
    return {
        "key": agent.key,
        "name": agent.name,
        "provider": agent.provider,
        "adapter": agent.adapter,
        "model_version": agent.model_version,
        "kind": agent.kind,
        "state": agent.state,
        "base_url": agent.base_url,
        "key_variable": agent.key_variable,
        "parameters": agent.parameters,
        "affiliated_from": agent.affiliated_from.isoformat() if agent.affiliated_from else None,
        "joined_with": joined.get(agent.key),
        "retired_at": agent.retired_at.isoformat() if agent.retired_at else None,
        "retirement_cause": agent.retirement_cause,
        "retirement_reason": agent.retirement_reason,
    }


def _finding_row(agent: Agent, findings: list[Finding], call: Call | None) -> dict[str, Any]:
    return {
        "key": agent.key,
        "ready": all(finding.ok is not False for finding in findings) and (call is None or call.ok),
        "findings": [{"what": finding.what, "ok": finding.ok, "words": finding.words} for finding in findings],
        "call": None
        if call is None
        else {"ok": call.ok, "words": call.words, "seconds": round(call.seconds, 3), "usage": _usage(call)},
    }


def _usage(call: Call) -> dict[str, int | None] | None:
    if call.usage is None:
        return None
    return {
        "input_plain": call.usage.input_plain,
        "input_cache_read": call.usage.input_cache_read,
        "input_cache_write": call.usage.input_cache_write,
        "output": call.usage.output,
        "output_reasoning": call.usage.output_reasoning,
    }


def _usage_words(call: Call) -> str:
    counts = _usage(call)
    if counts is None:
        return "no usage was reported"
    return ", ".join(f"{name} {'unknown' if count is None else count}" for name, count in counts.items())
