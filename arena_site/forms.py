"""The task form. It only reads and keeps what was typed; every rule is the intake's."""

from django import forms

from battles.intake import INSTRUCTION_MAX, INSTRUCTION_MIN, URL_MAX
from battles.models import Task
from battles.screening.category import CATEGORIES


class TaskForm(forms.Form):
    """Instruction and start address; category and kind are suggested and may be corrected.

    ``consent`` is here so that a refusal can be shown beside the box; what it means is decided by the use case.
    """

    instruction = forms.CharField(
        label="What should be done?",
        help_text="Say what to find or do, and how anybody can see that it is done.",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4, "maxlength": INSTRUCTION_MAX, "minlength": INSTRUCTION_MIN}),
    )
    start_url = forms.CharField(
        label="Where do they start?",
        help_text="A public web address. Both agents begin there, signed in nowhere.",
        required=False,
        widget=forms.TextInput(
            attrs={"inputmode": "url", "autocapitalize": "none", "spellcheck": "false", "maxlength": URL_MAX}
        ),
    )
    category = forms.ChoiceField(
        label="What is it about?",
        help_text="Left alone, it is told from the text. It cannot be corrected later.",
        required=False,
        choices=[("", "Tell it from the text"), *((name, name.capitalize()) for name in CATEGORIES)],
    )
    kind = forms.ChoiceField(
        label="What is there at the end?",
        help_text="Left alone, this is told from the text too.",
        required=False,
        choices=[(Task.Kind.ANSWER, "An answer in words"), (Task.Kind.ACTION, "Something done on the site")],
        widget=forms.RadioSelect,
    )
    consent = forms.BooleanField(required=False)
