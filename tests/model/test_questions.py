"""The table of questions has every question."""

from __future__ import annotations

from tests.model.questions import OTHERS, QUESTIONS
from vicinal import Model


def test_every_public_method_is_a_question_or_none():
    public = {
        name for name in dir(Model) if not name.startswith("_") and callable(getattr(Model, name))
    }
    asked = QUESTIONS.keys() - {"repr"}
    assert asked <= public
    missing = public - asked - OTHERS
    # A new one belongs into tests/model/questions.py: saving, adding and removing are then tested
    # for it as well.
    assert missing == set()
