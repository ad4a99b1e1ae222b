"""What should come, told by an example in any of the forms that are run."""

from bot.issues.parse import parse
from bot.reports import IssueText
from bot.verdicts import Item
from tests.support.cases import cases

TOP = "kettle 2.4.1, Python 3.12.\n\n```python\nfrom kettle import pour\nprint(pour(3))\n```\n\n"


@cases
def test_an_example_says_what_is_expected(below: str, expected: str | None) -> None:
    report = parse(IssueText("pour() spills the last cup", TOP + below))
    assert report.items[Item.EXPECTED] == expected
