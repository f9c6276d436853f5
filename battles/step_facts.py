"""What happened in each lane, folded from its steps in one pass over them, in SQL: a part of the lane facts.

The steps are sorted by lane once. Whatever looks a few steps back or ahead is a window function over that order;
what asks for patterns along the lane (pop-ups that go, walls that are left, pages that stay) reads one string with a
letter for each step.
"""

from __future__ import annotations

from battles.lanes.vocabulary import KINDS, VERBS

#: A step repeats one of this many before it.
REPEAT_WITHIN = 3
#: A lane loops with so many equal steps among so many, or so many equal pages in a row.
LOOP_STEPS, LOOP_AMONG, LOOP_PAGES = 5, 20, 5
#: An error is recovered from within so many steps.
RECOVER_WITHIN = 3
#: A pop-up is cleared, and a wall left, within so many steps.
CLEAR_WITHIN, LEAVE_WITHIN = 3, 5

_NUMBERS = {kind: number for number, kind in enumerate(KINDS, start=1)}
#: Frequent kinds are tried first.
_FREQUENT_FIRST = ("click", "type", "scroll", "read")
#: The kind of a terminal verb; 0 is no verb at all.
_TERMINAL_KIND = len(KINDS) + 1


def _kind() -> str:
    """A verb's kind as a number."""
    names: dict[int, list[str]] = {number: [] for number in map(_NUMBERS.get, _FREQUENT_FIRST) if number}
    for verb in VERBS.values():
        names.setdefault(_NUMBERS.get(verb.kind, _TERMINAL_KIND), []).append(verb.name)
    cases = " ".join(f"WHEN step.verb IN ({_quoted(verbs)}) THEN {number}" for number, verbs in names.items())
    return f"CASE {cases} ELSE 0 END"


def _quoted(words: list[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


#: Verbs aimed at something on the page; a scroll is aimed at the page.
_AIMED = _quoted([verb.name for verb in VERBS.values() if verb.targets and verb.kind != "scroll"])
_KIND_NAVIGATE = f"step.verb IN ({_quoted([verb.name for verb in VERBS.values() if verb.kind == 'navigate'])})"

#: Two fingerprints of a page mean that it is the same: the document, and the picture unless it moves by itself
#: (:func:`battles.lanes.digests.page_changed`).
_SAME = """(step.page_before = step.page_after
    OR ((step.page_before LIKE '%%.~' OR step.page_after LIKE '%%.~')
        AND split_part(step.page_before, '.', 1) = split_part(step.page_after, '.', 1)))"""
_BEFORE, _AFTER = "split_part(step.url_before, '#', 1)", "split_part(step.url_after, '#', 1)"

#: Whether a page was loaded: the start page, another address but for its fragment, or the same one on purpose.
_LOAD = f"""(step.number = 0 OR (step.url_before <> step.url_after AND {_BEFORE} <> {_AFTER})
    OR ({_KIND_NAVIGATE} AND step.ok))"""
#: What a step was aimed at, as a hash: the name and the box of the element, and where none was hit the reference or
#: the point.
_TARGET = """coalesce(
    jsonb_hash_extended(step.target->'box', hashtextextended(step.target->>'name', 0)),
    hashtextextended(concat_ws(',', step.target->>'name', step.arguments->>'ref', step.arguments->>'x',
        step.arguments->>'y'), 0))"""

#: Step by step. A hash is the seed of the next, so that no text is put together; the fences keep PostgreSQL from
#: working out a hash again wherever it is used.
_PLAIN = f"""
    SELECT step.lane_id, step.number, step.ok, step.tabs, step.model_ms, step.model_called,
           step.input_plain, step.input_cache_read, step.input_cache_write, step.output,
           {_kind()} AS kind,
           step.verb = 'click' AS click,
           step.verb IN ({_AIMED}) AND (step.verb <> 'type' OR step.arguments ?| ARRAY['x', 'ref']) AS aimed,
           step.code IN ('not_found', 'not_usable') AS missed,
           step.page_before <> '' AND step.page_after <> '' AS compared,
           step.page_before <> '' AND step.page_after <> '' AND {_SAME} AS same,
           step.url_before = step.url_after AS stayed,
           hashtextextended(nullif(step.page_before, ''), 0) AS page_before,
           hashtextextended(nullif(step.page_after, ''), 0) AS page,
           CASE WHEN step.number > 0 THEN hashtextextended(step.verb, {_TARGET}) END AS aim,
           CASE WHEN step.number > 0 THEN jsonb_hash_extended(step.arguments - ARRAY['x', 'y', 'ref'], 0) END AS value,
           {_LOAD} AS load,
           {_KIND_NAVIGATE} AND step.code IN ('refused_url', 'load_failed', 'timed_out') AS failed,
           step.code = 'refused_url' AS refused,
           nullif(step.refusals, '[]') AS refusals,
           CASE WHEN {_LOAD} THEN hashtextextended({_AFTER}, 0) END AS address,
           CASE WHEN {_LOAD} THEN split_part(split_part(step.url_after, '/', 3), ':', 1) END AS host,
           step.observe_ms + step.model_ms + step.act_ms AS ms,
           (step.overlay <> '')::int + 2 * (step.wall <> '')::int AS covered
    FROM battles_step step JOIN wanted ON wanted.lane_id = step.lane_id
    OFFSET 0
"""  # noqa: S608
_HASHED = f"""
    SELECT lane_id, number, ok, tabs, model_ms, model_called, input_plain, input_cache_read, input_cache_write, output,
           kind, click, aimed, missed, compared, same, stayed, page, load, failed, address, host, covered, ms,
           aim | 1 AS aimed_at,
           CASE WHEN ok AND compared AND NOT same THEN aim | 1 ELSE 0 END AS advance,
           hashint8extended(value, aim) AS key,
           hashint8extended(page_before, hashint8extended(value, aim)) AS again,
           refused OR coalesce(load AND refusals @> jsonb_build_array(jsonb_build_object('host', host)), FALSE)
               AS blocked
    FROM ({_PLAIN}) plain
    OFFSET 0
"""  # noqa: S608


def _near(function: str, column: str, reach: int) -> str:
    return ", ".join(
        f"{function}({column}, {distance}) OVER lane AS {function}_{column}_{distance}"
        for distance in range(1, reach + 1)
    )


#: With what came before and after: ``advance`` is what an ok step that changed the page was aimed at, else 0.
_SEEN = f"""
    SELECT *, {_near("lag", "again", REPEAT_WITHIN)}, {_near("lead", "advance", RECOVER_WITHIN)},
           lag(tabs) OVER lane AS tabs_before, lag(page) OVER lane AS page_of_the_step_before,
           number - lag(number, {LOOP_STEPS - 1}) OVER (PARTITION BY lane_id, key ORDER BY number) AS equal_steps_span
    FROM ({_HASHED}) hashed
    WINDOW lane AS (PARTITION BY lane_id ORDER BY number)
"""  # noqa: S608
_ACTS = f"number > 0 AND kind NOT IN ({_NUMBERS['wait']}, {_TERMINAL_KIND})"
_REPEATED = "again IN (" + ", ".join(f"lag_again_{distance}" for distance in range(1, REPEAT_WITHIN + 1)) + ")"
_RECOVERED = " OR ".join(f"lead_advance_{distance} NOT IN (0, aimed_at)" for distance in range(1, RECOVER_WITHIN + 1))
_DEAD = "NOT ok OR (same AND stayed AND tabs = tabs_before)"
_UNKNOWN = "(input_plain IS NULL OR output IS NULL)"
_LATE_ERROR = f"lead_advance_{RECOVER_WITHIN} IS NULL"

#: What is kept of a lane, in terms of its steps.
_FOLDED = {
    "steps": "count(*) FILTER (WHERE number > 0)",
    **{f"{kind}_actions": f"count(*) FILTER (WHERE kind = {number})" for kind, number in _NUMBERS.items()},
    "compared_clicks": "count(*) FILTER (WHERE click AND compared AND NOT missed)",
    "dead_clicks": f"count(*) FILTER (WHERE click AND compared AND NOT missed AND ({_DEAD}))",
    "aimed": "count(*) FILTER (WHERE aimed)",
    "missed": "count(*) FILTER (WHERE aimed AND missed)",
    "acts": f"count(*) FILTER (WHERE {_ACTS})",
    "repeats": f"count(*) FILTER (WHERE {_ACTS} AND {_REPEATED})",
    "equal_steps": f"coalesce(bool_or(number > 0 AND equal_steps_span < {LOOP_AMONG}), FALSE)",
    "loads": "count(*) FILTER (WHERE load)",
    "addresses": "count(DISTINCT address) FILTER (WHERE load)",
    "loaded_hosts": "array_agg(host) FILTER (WHERE load)",
    "tried": "count(*) FILTER (WHERE load OR failed OR blocked)",
    "blocked": "count(*) FILTER (WHERE blocked)",
    "errors": "count(*) FILTER (WHERE number > 0 AND NOT ok)",
    "early_errors": f"count(*) FILTER (WHERE number > 0 AND NOT ok AND NOT {_LATE_ERROR})",
    "recovered": f"count(*) FILTER (WHERE number > 0 AND NOT ok AND NOT {_LATE_ERROR} AND ({_RECOVERED}))",
    "step_ms": "array_agg(ms) FILTER (WHERE number > 0)",
    "model_ms": "sum(model_ms)",
    "calls": "count(*) FILTER (WHERE model_called)",
    "unknown_calls": f"count(*) FILTER (WHERE model_called AND {_UNKNOWN})",
    "input_plain": "sum(input_plain) FILTER (WHERE model_called)",
    "input_cache_read": "sum(input_cache_read) FILTER (WHERE model_called)",
    "input_cache_write": "sum(input_cache_write) FILTER (WHERE model_called)",
    "output": "sum(output) FILTER (WHERE model_called)",
    #: A digit for each step: 1 is covered, 2 is a wall, 3 is both.
    "along": "string_agg(covered::text, '' ORDER BY number)",
    #: A digit for each step but waiting ones: 1 where it left the page as it was.
    "still": f"""string_agg(CASE WHEN {_ACTS} THEN coalesce(page = page_of_the_step_before, FALSE)::int::text END, ''
        ORDER BY number)""",
}

#: One row a lane of ``wanted (lane_id)``.
FOLDED_STEPS = f"""
    SELECT lane_id, {", ".join(f"{expression} AS {name}" for name, expression in _FOLDED.items())}
    FROM ({_SEEN}) seen GROUP BY lane_id
"""  # noqa: S608


def runs(bit: int, within: int | None = None) -> str:
    """How many runs of steps with a bit there are in a lane, or of those that end within so many steps."""
    having = "[" + "".join(str(digit) for digit in range(4) if digit & bit) + "]"
    without = "[" + "".join(str(digit) for digit in range(4) if not digit & bit) + "]"
    begin = f"(^|{without}){having}"
    pattern = begin if within is None else f"{begin}{having[:-1]}]{{0,{within - 1}}}(?={without})"
    # Most lanes have none, and a search is cheaper than a count.
    return f"CASE WHEN along ~ '{having}' THEN regexp_count(along, '{pattern}') ELSE 0 END"


#: So many steps in a row that left the page as the one before did.
SAME_PAGES = f"coalesce(still LIKE '%%{'1' * (LOOP_PAGES - 1)}%%', FALSE)"
