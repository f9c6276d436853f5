"""What is counted of a finished lane, once: its steps and its answer do not change any more."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from battles.models.battles import Lane


class LaneFacts(models.Model):
    """Counts of one lane, filled in when its race finishes (:mod:`battles.lane_facts`, which also says what counts).

    The row is derived: triggers delete it when a step, the answer or the task's hosts change, as a withdrawal changes
    them, and :func:`battles.lane_facts.complete_lane_facts` makes it again from what is there. Whoever reads it calls
    that first, and reads rows of the ``definition`` in force only.

    For the corpus of the ratings: a lane without ``steps`` never ran; ``answer_characters``, ``answer_headers``,
    ``answer_lists`` and ``answer_bold`` are the style of its answer.
    """

    lane = models.OneToOneField(Lane, primary_key=True, on_delete=models.CASCADE, related_name="facts")
    definition = models.CharField(max_length=64, help_text="Digest of the statement that computed the row.")

    steps = models.PositiveSmallIntegerField(help_text="Without the start page.")
    navigate_actions = models.PositiveSmallIntegerField()
    click_actions = models.PositiveSmallIntegerField()
    type_actions = models.PositiveSmallIntegerField()
    scroll_actions = models.PositiveSmallIntegerField()
    wait_actions = models.PositiveSmallIntegerField()
    read_actions = models.PositiveSmallIntegerField()
    tab_actions = models.PositiveSmallIntegerField()
    acts = models.PositiveSmallIntegerField(help_text="Steps that are no waiting and do not end the lane.")
    repeats = models.PositiveSmallIntegerField()
    loops = models.BooleanField()
    compared_clicks = models.PositiveSmallIntegerField(help_text="With both fingerprints, and a target.")
    dead_clicks = models.PositiveSmallIntegerField()
    aimed = models.PositiveSmallIntegerField(help_text="Aimed at something on the page.")
    missed = models.PositiveSmallIntegerField()
    errors = models.PositiveSmallIntegerField()
    early_errors = models.PositiveSmallIntegerField(help_text="With steps enough after them to recover.")
    recovered = models.PositiveSmallIntegerField()

    loads = models.PositiveSmallIntegerField(help_text="Page loads, the start page among them.")
    returns = models.PositiveSmallIntegerField(help_text="Of an address that was loaded before.")
    hosted_loads = models.PositiveSmallIntegerField(help_text="All loads where the task has hosts, else none.")
    off_site = models.PositiveSmallIntegerField()
    tried = models.PositiveSmallIntegerField()
    blocked = models.PositiveSmallIntegerField(help_text="Loads that our rules refused.")
    overlays = models.PositiveSmallIntegerField()
    cleared = models.PositiveSmallIntegerField()
    walls = models.PositiveSmallIntegerField()
    walls_left = models.PositiveSmallIntegerField()

    step_ms = ArrayField(models.PositiveIntegerField(), help_text="Of each step, in no order.")
    model_ms = models.PositiveBigIntegerField()
    calls = models.PositiveSmallIntegerField(help_text="Of the model.")
    unknown_calls = models.PositiveSmallIntegerField(help_text="Without usage.")
    input_plain = models.PositiveBigIntegerField()
    input_cache_read = models.PositiveBigIntegerField()
    input_cache_write = models.PositiveBigIntegerField()
    output = models.PositiveBigIntegerField()

    answer_characters = models.PositiveIntegerField()
    answer_words = models.PositiveIntegerField(help_text="0 where the answer is blank.")
    answer_headers = models.PositiveIntegerField(help_text="Lines that Markdown shows as headings.")
    answer_lists = models.PositiveIntegerField(help_text="Lines that Markdown shows as entries of a list.")
    answer_bold = models.PositiveIntegerField()
    answer_values = models.PositiveIntegerField(help_text="Different numbers, dates, prices and names.")
    answer_values_found = models.PositiveIntegerField(help_text="Those that stand in text captured in the lane.")

    def __str__(self) -> str:
        return f"facts of lane {self.lane_id}"
