"""JSON Schemas of what the ratings publish.

That of a publication is made from the projection that lets it out, so that it cannot name what does not leave, nor
forget what does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from governance.json_shapes import (
    Shape,
    digest,
    instant,
    listed,
    maybe,
    named,
    number,
    record,
    ref,
    share,
    text,
    whole,
    yes_no,
)
from ratings import projection
from ratings.models import Board
from ratings.projection import DROP, PUBLIC, ROW, Each

#: Places of the projection whose texts are yes or no.
TRUTHS = frozenset({"fired", "rank_claimed"})
#: What stands at each place of a publication, where its name does not say it.
WORDS: Mapping[str, str] = {
    "audit": "Whether the record could be steered: shares of labels and judges, exclusions, and probes that fire.",
    "corpus_digest": "SHA-256 of the votes that it is made of.",
    "corrects": "The publication before, where other code made it, whose numbers this one corrects.",
    "gaps": "Differences of two ratings, by the keys of both.",
    "ledger": "Size and root of the ledger's tree when it was made.",
    "previous": "SHA-256 of the publication before, in full.",
    "ratings": "One row for each agent.",
    "robustness": "How many of the votes or judges would have to go to turn two neighbours.",
    "variants": "Other ways to fit the same votes, by their names.",
    "win_shares": "How often an agent was preferred to another one, by the keys of both.",
}


Leaves: TypeAlias = Mapping[Callable[[Any], Any], Shape]
#: The projection's leaves are all there are.
NO_OTHERS: Leaves = {}


def _leaf(shape: Callable[[Any], Any], name: str, further: Leaves) -> Shape:
    number_or_nothing = maybe(number())
    leaves: Leaves = {
        **further,
        projection.text: maybe(yes_no()) if name in TRUTHS else maybe(text()),
        projection.words: maybe(text()),
        projection.number: number_or_nothing,
        projection.whole: {**number_or_nothing, "description": "To a whole point."},
        projection.hundredth: {**number_or_nothing, "description": "To a hundredth."},
        projection.share: maybe(share()),
        projection.code: maybe(text(pattern="^[a-z][a-z_]*$")),
        projection.rank: maybe(whole()),
    }
    if shape is projection.parameter:
        ends = {"lower": projection.number, "upper": projection.number}
        return json_shape({**projection.PARAMETER, **ends})
    return leaves[shape]


def json_shape(shape: Any, name: str = "", further: Leaves = NO_OTHERS) -> Shape:
    """The JSON Schema of a shape of the projection. What is dropped is not in it; any mapping may be null.

    Args:
        shape: as the projection has it.
        name: of the place.
        further: shapes of leaves that are not the projection's own.

    Raises:
        KeyError: a leaf that nobody has described.
    """
    if isinstance(shape, Each):
        return named(json_shape(shape.shape, name, further))
    if isinstance(shape, list):
        return listed(json_shape(shape[0], name, further))
    if isinstance(shape, dict):
        fields = {key: json_shape(each, key, further) for key, each in shape.items() if each is not DROP}
        return {"type": ["object", "null"], "properties": fields}
    return _leaf(shape, name, further)


def _publication() -> Shape:
    fields = {
        name: {**json_shape(shape, name), **({"description": WORDS[name]} if name in WORDS else {})}
        for name, shape in PUBLIC.items()
        if shape is not DROP
    }
    return {
        "type": "object",
        "description": "A publication of ratings: every published number with what it means. Never changed once made.",
        "properties": fields,
        "required": ["board", "code_version", "corpus_digest", "definitions", "ratings", "seed", "win_shares"],
    }


DEFINITIONS_SHAPE = named(
    record(
        name=text(),
        counted=text(),
        over=text(),
        unit=text(),
        direction=text(options=("higher", "lower", "neutral")),
        caveat=text(),
    ),
    "What the numbers mean.",
)
MARK = record(
    "Which publication it is.",
    digest=digest("Its address: /api/publications/ and this."),
    board=text(options=Board.values),
    published_at=instant(),
    corpus_digest=digest("SHA-256 of the votes that it is made of."),
    previous=maybe(digest("The one before on its board.")),
)
#: A row of a fit, as the projection lets it out, with what the roster says of the agent.
STANDING: Shape = {
    "type": "object",
    "description": "An agent in one way to fit. Points; null where there is no number, with the reason.",
    "properties": {
        **{key: json_shape(each, key) for key, each in projection.HEADLINE_ROW.items() if each is not DROP},
        "agent": text("Its key."),
        "name": text(),
        "baseline": yes_no(),
        "retired_at": maybe(instant()),
    },
    "required": ["agent", "name", "baseline", "retired_at", "rating", "lower", "upper", "status", "reason"],
}
PARAMETER = json_shape({**projection.PARAMETER, "lower": projection.number, "upper": projection.number})
MATRIX = record(
    "Win shares of each agent of a row against each agent of a column.",
    publication=maybe(ref("PublicationMark")),
    definitions=ref("Definitions"),
    agents=listed(record(agent=text(), name=text()), "Rows and columns, in this order."),
    shares=listed(listed(maybe(share()), "Of one agent; null where too few votes were cast, and with itself.")),
    reason=text("Why a share is null.", options=("below_floor",)),
)
RATINGS = record(
    "The rows of one way to fit.",
    publication=maybe(ref("PublicationMark")),
    variant=record(key=text(), name=text(), words=text(), reason=maybe(text("Why there is no order."))),
    definitions=ref("Definitions"),
    ratings=listed(ref("Standing"), "Best first; agents without a number last."),
    parameters=listed(PARAMETER, "What was held equal, with its effect."),
)
HISTORY = record(
    "Publications, newest first, each with its rows.",
    definitions=ref("Definitions"),
    results=listed(
        record(
            publication=ref("PublicationMark"),
            ratings=listed({"type": "object", "properties": json_shape(ROW)["properties"], "required": ["agent"]}),
        )
    ),
    next=maybe(text("The address of the next page; null on the last one.")),
)
GAP = record(
    "Two agents, the better one first.",
    publication=ref("PublicationMark"),
    definitions=ref("Definitions"),
    above=text("The key of the agent above, or level."),
    below=text("The key of the other one."),
    gap=maybe(number("Points.")),
    lower=maybe(number("Of the 95% interval of this gap alone.")),
    upper=maybe(number("Of the same.")),
    win_chance=maybe(share("Chance that the first is preferred, a tie counting half.")),
    settled=yes_no("Whether that interval leaves zero out."),
    order_kept=maybe(yes_no("Whether the fit with the schedule undone has the same order.")),
    fresh_votes=maybe(whole("Votes between the two, each by somebody else, that a gap of this size takes to be told.")),
    through_others=maybe(whole("The same where the two only ever meet others.")),
    flip_share=maybe(share("Part of the votes whose removal turns the two, where they are neighbours.")),
    reason=maybe(text("Why there is no gap.")),
)
PUBLICATIONS = record(
    "Publications, newest first.",
    results=listed(ref("PublicationMark")),
    next=maybe(text("The address of the next page; null on the last one.")),
)
PLAN = record(
    "Independent votes that a question takes.",
    optional=("power", "significance", "confidence"),
    goal=text(options=("gap", "half-width")),
    points=number(),
    tie_share=share(),
    power=share(),
    significance=share(),
    confidence=share(),
    votes=record(
        head_to_head=whole("Between the two."),
        newcomer_against_known=whole("Of a newcomer, against agents that are known well."),
        through_others=whole("Of both together, each against others."),
        round_robin=record(agents=whole(), total=whole(), each_pair=whole()),
    ),
    rough=yes_no("So few that the approximation is a rough guide."),
)
COMPONENTS: Mapping[str, Shape] = {
    "PublicationMark": MARK,
    "Definitions": DEFINITIONS_SHAPE,
    "Standing": STANDING,
    "Publication": _publication(),
}
