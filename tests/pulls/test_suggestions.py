"""What a review says, claim by claim, its suggestions, and a fix as suggestions on a pull request's own lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.read import read_change
from bot.changes.values import Change
from bot.changes.write import unified
from bot.github.values import Remark
from bot.pulls.review_claims import ReviewClaim, Severity, claims_of
from bot.pulls.review_trial import Run, outcome_of, try_claims
from bot.pulls.suggestions import MOST, MOST_OF_A_FIX, Suggestion, SuggestionError, apply, fix_suggestions, paths
from bot.verdicts import ClaimOutcome, Decision, Topic
from bot.verification.evidence import Case, Verified
from bot.verification.values import Difference, Ending, Generator, Observed, Side
from tests.support.cases import cases, table
from tests.support.properties import patient

FILE = b"one\ntwo\nthree\n"


@cases
def test_a_suggestion_is_the_first_block_of_that_name(body: str, text: str | None) -> None:
    (claim,) = claims_of("", [Remark(1, "a.py", 2, 3, "", body)])
    assert claim.fixes[:1] == (() if text is None else ((Suggestion("a.py", 2, 3, text),),))


@cases
def test_lines_are_replaced(made: list[tuple[int, int, str]], expected: bytes) -> None:
    wanted = [Suggestion("a.py", *item) for item in made]
    assert apply(wanted, {"a.py": FILE, "b.py": b""}) == {"a.py": expected}


def test_line_ends_are_kept() -> None:
    changed = apply([Suggestion("a.py", 2, 2, "2\n2\n")], {"a.py": b"one\r\ntwo\r\nthree"})
    assert changed == {"a.py": b"one\r\n2\r\n2\r\nthree"}
    assert apply([Suggestion("a", 1, 1, "x\n")], {"a": b"a\x0cb\nc"}) == {"a": b"x\nc"}


@pytest.mark.parametrize(
    ("made", "files", "why"),
    [
        ([Suggestion("a", 1, 2, ""), Suggestion("a", 2, 3, "")], {"a": FILE}, "same lines"),
        ([Suggestion("a", 4, 9, "x\n")], {"a": FILE}, "lines that are not there"),
        ([Suggestion("a", 0, 1, "x\n")], {"a": FILE}, "lines that are not there"),
        ([Suggestion("b", 1, 1, "x\n")], {"a": FILE}, "file that is not there"),
        ([Suggestion("a", 1, 1, "x\n")], {"a": b"\xff\n"}, "not UTF-8"),
        ([Suggestion("../a", 1, 1, "x\n")], {"../a": FILE}, "outside"),
        ([Suggestion("/etc/passwd", 1, 1, "x\n")], {"/etc/passwd": FILE}, "outside"),
        ([Suggestion(".git/config", 1, 1, "x\n")], {".git/config": FILE}, "outside"),
        ([Suggestion("a", 1, 1, "x\n")] * (MOST + 1), {"a": FILE}, "more suggestions"),
    ],
)
def test_what_cannot_be_applied_says_why(made: list[Suggestion], files: dict[str, bytes], why: str) -> None:
    with pytest.raises(SuggestionError, match=why):
        apply(made, files)


def test_each_file_is_named_once() -> None:
    assert paths([Suggestion("b", 1, 1, ""), Suggestion("a", 1, 1, ""), Suggestion("b", 2, 2, "")]) == ("b", "a")


@given(st.text(), st.integers(-1, 9), st.integers(-1, 9), st.text(), st.binary())
def test_nothing_else_is_raised(path: str, first: int, last: int, body: str, content: bytes) -> None:
    for kind in ("suggestion", "diff"):
        (claim,) = claims_of("", [Remark(1, path, first, last, "", f"```{kind}\n{body}\n```")])
        for fix in claim.fixes:
            try:
                apply(fix, {path: content})
            except SuggestionError as error:
                assert str(error)


OLD = "".join(f"line {number}\n" for number in range(1, 31))
HEAD = OLD.replace("line 10\n", "line ten\n")
TEXT = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map(lambda lines: "".join(f"{x}\n" for x in lines))


def diff(before: str | None, after: str | None, path: str = "a.py") -> str:
    return unified({path: (None if before is None else before.encode(), None if after is None else after.encode())})


CHANGE = read_change(diff(OLD, HEAD))


def fix(*replaced: tuple[str, str]) -> str:
    text = HEAD
    for old, new in replaced:
        text = text.replace(old, new)
    return diff(HEAD, text)


@patient
@given(head=TEXT, fixed=TEXT)
def test_taken_together_they_are_the_fix(head: str, fixed: str) -> None:
    """On a file the pull request adds, all lines of which can be commented on."""
    made = fix_suggestions(diff(head, fixed), read_change(diff(None, head)))
    if made:
        assert apply(made, {"a.py": head.encode()}) == {"a.py": fixed.encode()}


def test_lines_of_the_change_are_replaced_where_they_are() -> None:
    assert fix_suggestions(fix(("line ten\n", "10\n")), CHANGE) == (Suggestion("a.py", 10, 10, "10\n"),)
    assert fix_suggestions(fix(("line 9\nline ten\n", "")), CHANGE) == (Suggestion("a.py", 9, 10, ""),)


def test_a_new_line_takes_its_neighbour_along() -> None:
    assert fix_suggestions(fix(("line ten\n", "line ten\nmore\n")), CHANGE) == (
        Suggestion("a.py", 10, 10, "line ten\nmore\n"),
    )
    added = read_change(diff(None, "a\nb\n"))
    assert fix_suggestions(diff("a\nb\n", "0\na\nb\n"), added) == (Suggestion("a.py", 1, 1, "0\na\n"),)


def test_half_a_fix_is_none() -> None:
    near, far = ("line ten\n", "10\n"), ("line 20\n", "20\n")
    assert fix_suggestions(fix(near), CHANGE)
    assert fix_suggestions(fix(near, far), CHANGE) == ()
    other = unified({"a.py": (HEAD.encode(), HEAD.replace(*near).encode()), "b.py": (b"x\n", b"y\n")})
    assert fix_suggestions(other, CHANGE) == ()


def test_what_is_no_replacement_of_lines_is_none() -> None:
    assert (
        fix_suggestions("", CHANGE)
        == fix_suggestions("no diff", CHANGE)
        == fix_suggestions(fix(("line ten\n", "10\n")), Change(()))
        == ()
    )
    assert fix_suggestions(diff(None, "x\n", "new.py"), CHANGE) == fix_suggestions(diff(HEAD, None), CHANGE) == ()
    kept = "kept\n" * 7
    many = "".join(f"{n}\n{kept}" for n in range(MOST_OF_A_FIX + 1))
    mended = "".join(f"{n}!\n{kept}" for n in range(MOST_OF_A_FIX + 1))
    assert fix_suggestions(diff(many, mended), read_change(diff(None, many))) == ()


REMARKED = table(str, __file__, "file")


@cases
def test_a_line_comment_is_one_claim(
    body: str, severity: Severity, topic: Topic, fixes: list[str], lines: tuple[int, int]
) -> None:
    (claim,) = claims_of("", [Remark(7, "shop.py", *lines, "", body)])
    assert (claim.remark, claim.severity, claim.topic) == (7, severity, topic)
    changed = [apply(fix, {"shop.py": REMARKED.encode(), "till.py": REMARKED.encode()}) for fix in claim.fixes]
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


SEEN = Observed(Ending.RETURNED, "1")
ENDS = {
    "held": (Decision.BOUNCE, Case.REPAIR_SUCCESS),
    "refuted": (Decision.ACCEPT, Case.OVER_REPAIR),
    "same": (Decision.ACCEPT, Case.EQUIVALENT),
    "both fail": (Decision.BOUNCE, Case.BOTH_FAIL),
    "unsettled": (Decision.UNAVAILABLE, Case.UNDECIDED),
    "nothing": (Decision.UNAVAILABLE, None),
}


def claim(*fixes: str) -> ReviewClaim:
    """Each fix is a name; `a/b` names what is offered one instead of the other."""
    offered = tuple((Suggestion(name, 1, 1, ""),) for name in fixes)
    return ReviewClaim(1, f"{fixes[0] if fixes else ''}.py", 1, 1, Severity.UNSTATED, Topic.UNSTATED, "", offered)


def runs(said: dict[str, str]) -> Run:
    """What running these suggestions together says; what is not named fits nowhere."""

    def run(suggestions: tuple[Suggestion, ...]) -> tuple[Verified, None]:
        names = "+".join(each.path for each in suggestions)
        if names not in said:
            raise SuggestionError("Two suggestions change the same lines.")
        return Verified(*ENDS[said[names]], (names,)), None

    return run


@cases
def test_what_is_said_of_one_is_not_said_against_those_that_belong_to_it(
    claims: list[str], said: dict[str, str], outcomes: list[ClaimOutcome], among: list[int]
) -> None:
    found = try_claims([claim(*names.split("/")) if names else claim() for names in claims], runs(said), lambda: False)
    assert [each.outcome for each in found] == outcomes
    assert [each.among for each in found] == among
    assert {each.clashes for each in found if each.outcome.ran} <= {outcomes == ["same", "held"]}


def test_when_the_time_is_over_the_rest_is_named_and_not_run() -> None:
    asked: list[str] = []

    def run(suggestions: tuple[Suggestion, ...]) -> tuple[Verified, None]:
        asked.extend(each.path for each in suggestions)
        return Verified(*ENDS["same"], ("Same.",)), None

    many = [claim(f"{at}") for at in range(50)]
    found = try_claims(many, run, lambda: len(asked) >= 7)
    assert asked == [f"{at}" for at in range(7)]
    assert [each.outcome for each in found] == [ClaimOutcome.SAME] * 7 + [ClaimOutcome.LATE] * 43


def test_a_difference_that_a_requirement_settles_settles_the_claim() -> None:
    for favours, decision, outcome in (
        (Side.FIX, Decision.BOUNCE, ClaimOutcome.HELD),
        (Side.ORIGINAL, Decision.ACCEPT, ClaimOutcome.REFUTED),
        (None, Decision.UNAVAILABLE, ClaimOutcome.OPEN),
    ):
        found = Difference("f(1)", SEEN, SEEN, Generator.MUTATION, favours=favours)
        assert outcome_of(Verified(decision, Case.UNDECIDED, (), difference=found)) is outcome
