"""JSON Schemas of what is published about measures."""

from __future__ import annotations

from governance.json_shapes import Shape, digest, listed, maybe, named, number, record, ref, text, yes_no
from metrics.measure import Direction, Scope, Section, Unit
from metrics.reading import Why
from ratings.models import Board

VALUE: Shape = record(
    "A measure of one agent, or of the arena: a number, or the reason why there is none.",
    optional=("counts",),
    agent=maybe(text("Its key; null for the arena as a whole.")),
    value=maybe(number()),
    lower=maybe(number("Of the interval.")),
    upper=maybe(number("Of the interval.")),
    reason=maybe(text("Why value or interval is missing.", options=[why.value for why in Why])),
    underpowered=maybe(yes_no("Whether it is too little to tell agents apart by.")),
    counts=named(maybe(number()), "Sample sizes; there only where the operator lets them out."),
)
MEASURE: Shape = record(
    "A measure with its definition and its values.",
    key=text(),
    name=text(),
    section=text(options=[section.value for section in Section]),
    numerator=text("What is counted."),
    denominator=text("Over what."),
    unit=text(options=[unit.value for unit in Unit]),
    direction=text("Which way is good.", options=[way.value for way in Direction]),
    caveat=text("What it does not establish."),
    records=listed(text(), "What it is read from."),
    scope=text(options=[scope.value for scope in Scope]),
    interval=text("How its interval is made."),
    values=listed(ref("MeasureValue")),
)
PUBLICATION: Shape = record(
    "Which publication of measures it is.",
    board=text(options=Board.values),
    number=text("Its place in the chain, in digits."),
    previous=maybe(digest("The one before.")),
    ratings=maybe(digest("The publication of ratings whose numbers it repeats.")),
    price_table=maybe(text("The version of the prices that costs are worked out from.")),
    code_version=text(),
    sample_sizes=text(options=("withheld", "published")),
)
MEASURES: Shape = record(
    "Measures with definitions and values; before the first publication, definitions alone.",
    publication=maybe(PUBLICATION),
    measures=listed(ref("Measure")),
)
COMPONENTS = {"MeasureValue": VALUE, "Measure": MEASURE, "Measures": MEASURES}

QUALITY: Shape = record(
    "What the record of a board does not entitle anybody to claim.",
    board=text(options=Board.values),
    not_entitled=listed(record(key=text(), claim=text(), why=text(), earned_by=text("What would earn it."))),
)
