"""What a review says, claim by claim: the forms in which review bots write, and what looks like them."""

from bot.github.values import Remark
from bot.pulls.review_claims import Severity, claims_of
from bot.pulls.suggestions import apply
from bot.verdicts import Topic
from tests.support.cases import cases, table

FILE = table(str, __file__, "file")


@cases
def test_a_line_comment_is_one_claim(
    body: str, severity: Severity, topic: Topic, fixes: list[str], lines: tuple[int, int]
) -> None:
    (claim,) = claims_of("", [Remark(7, "shop.py", *lines, "", body)])
    assert (claim.remark, claim.severity, claim.topic) == (7, severity, topic)
    changed = [apply(fix, {"shop.py": FILE.encode(), "till.py": FILE.encode()}) for fix in claim.fixes]
    assert ["\n".join(text.decode() for text in each.values()) for each in changed] == fixes


@cases
def test_a_review_says_more_in_its_own_text(body: str, claims: list[tuple[str, Severity, Topic, int]]) -> None:
    found = claims_of(body, [])
    assert [(each.place, each.severity, each.topic, len(each.fixes)) for each in found] == claims
    assert {each.remark for each in found} <= {0}


def test_the_worst_come_first() -> None:
    said = ("_Trivial_", "Hm.", "![critical](x.svg)", "**Low Severity**", "![P1 Badge](x.svg)", "_Minor_")
    found = claims_of("", [Remark(at, "a.py", 1, 1, "", text) for at, text in enumerate(said)])
    assert [said[each.remark] for each in found] == [said[at] for at in (2, 4, 5, 1, 0, 3)]
