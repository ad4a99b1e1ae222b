"""A change of comments and layout: one that does nothing where behaviour is asked for, and code everywhere else."""

from bot.pulls.facts import Substance
from bot.pulls.judgement import first_facts, is_given
from bot.pulls.request import Request
from tests.changes.parts import change_of
from tests.support.cases import cases


@cases
def test_what_comments_are(wanted: Request, files: list[tuple[str, str, str]], substance: Substance) -> None:
    texts = {path: (before, after) for path, before, after in files}
    found = first_facts(wanted, change_of(*files), lambda file: texts[file.path], lambda named: (), is_given)
    assert found.substance is substance
