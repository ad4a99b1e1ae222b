"""From verdicts and acts to figures and a policy."""

from pathlib import Path

from bot.backtest.endings import IssueEnding
from bot.backtest.export import read_export
from bot.backtest.judging import judge_past
from bot.backtest.measures import Agreement, IssueBacktest, measure, propose
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.policy_choices import Kind, Strictness
from bot.policy_file import load
from bot.verdicts import Decision
from tests.backtest.exports import ASKED, CLEAR, DONE, FIXED, TOLD, VAGUE, Exported, write_export
from tests.support.cases import cases

LENIENT, BALANCED, STRICT = Strictness


def measured(folder: Path, issues: list[Exported], wanted: float = 0.8) -> IssueBacktest:
    past = read_export(write_export(folder, issues), "", 100)
    return measure(judge_past(past, OfflineJudge(), Policy(), lambda day: ()), wanted)


VAGUE_TO_STRICT = ("<script>alert(1)</script> fails", VAGUE[1])  # to `balanced` it is not worth a hold


def row(strictness: Strictness, kind: str, right: int, wrong: int) -> Agreement:
    return Agreement(strictness, kind, right + wrong, right + wrong, 0, right, wrong, 0, 0)


def rows(**precise: tuple[int, int]) -> list[Agreement]:
    """`strict=(right, wrong)`, `strict_bug=(…)`; nothing held where none is given."""
    return [
        row(strictness, kind, *precise.get(f"{strictness}_{kind}".strip("_"), (0, 0)))
        for strictness in Strictness
        for kind in ("", *Kind)
    ]


def test_every_figure_counts_what_it_says(tmp_path: Path) -> None:
    found = measured(
        tmp_path,
        [
            Exported(1, *VAGUE, (ASKED, DONE)),  # held, and people asked: right
            Exported(2, *VAGUE, (ASKED,), state="open"),
            Exported(3, *VAGUE, (FIXED,)),  # held, and nobody needed to ask: wrong
            Exported(4, *VAGUE, (), state="open"),  # held, no word
            Exported(5, *CLEAR, (ASKED, DONE)),  # accepted, and people asked: missed
            Exported(6, *CLEAR, (FIXED,)),
            Exported(7, *CLEAR, (TOLD, DONE)),
            Exported(8, *VAGUE, (FIXED,), edits=None),  # nobody knows its text: in no figure
            Exported(9, *VAGUE, (FIXED,), association="OWNER"),
            Exported(10, *VAGUE, (FIXED,), author="renovate[bot]"),
        ],
    )
    row = next(row for row in found.rows if row.strictness is BALANCED and row.kind == "")
    assert (row.judged, row.held, row.right, row.wrong, row.missed, row.fine) == (7, 4, 2, 1, 1, 2)
    assert (row.precision.hits, row.precision.total) == (2, 3)
    assert (row.false_bounces.hits, row.false_bounces.total) == (1, 3)
    assert (row.recall.hits, row.recall.total) == (2, 3)
    assert (row.agreement.hits, row.agreement.total) == (4, 6)
    assert row.kappa is not None and round(row.kappa, 3) == 0.333
    assert found.text_unknown == 1
    assert found.skipped == {"its author's role (owner) is exempt": 1, "a bot opened it": 1}
    assert found.endings == {IssueEnding.DONE: 1, IssueEnding.OPEN: 2, IssueEnding.FIXED: 1}
    assert [each.issue.number for each in found.doubtful] == [3, 5]


def test_who_would_be_asked_is_counted_beside_what_is_held(tmp_path: Path) -> None:
    """A question holds nothing, so it changes no figure of holds; `strict` holds what it would ask about."""
    found = measured(
        tmp_path,
        [
            Exported(1, *VAGUE, (ASKED, DONE)),  # held
            Exported(2, *VAGUE_TO_STRICT, (ASKED, DONE)),  # asked, and people asked too
            Exported(3, *VAGUE_TO_STRICT, (FIXED,)),  # asked, and nobody needed to
            Exported(4, *VAGUE_TO_STRICT, (), state="open"),  # asked, no word
            Exported(5, *CLEAR, (FIXED,)),
        ],
    )
    told = {row.strictness: row for row in found.rows if row.kind == ""}
    row, strict = told[BALANCED], told[STRICT]
    assert (row.held, row.asked, row.left_alone, row.unjudged) == (1, 3, 1, 0)
    assert (row.asking.hits, row.asking.total) == (1, 2)
    assert (row.right, row.wrong, row.missed, row.fine) == (1, 0, 1, 2)
    assert (strict.held, strict.asked, strict.left_alone, strict.asking.total) == (4, 0, 1, 0)
    assert [each.issue.number for each in found.listed] == [1, 4, 3, 2]
    assert found.doubtful == (), "people asked what it would have asked"


ROLE = "its author's role (member) is exempt"


@cases
def test_whom_the_server_would_hold_is_held_here_too(
    author: str, app: str, private: bool, skipped: str, tmp_path: Path
) -> None:
    """People with a role where the repository is private, and coding agents everywhere."""
    issue = Exported(1, *VAGUE, (FIXED,), author=author, association="MEMBER", app=app)
    past = read_export(write_export(tmp_path, [issue]), "", 9, private=private)
    policy = load("pulls: {agents: {logins: ['acme-coder[bot]', acme-machine]}}")
    (found,) = judge_past(past, OfflineJudge(), policy, lambda day: ())
    assert found.skipped == skipped
    assert (found.verdicts[BALANCED].decision is Decision.BOUNCE) if not skipped else not found.verdicts


def test_of_nothing_there_is_no_share(tmp_path: Path) -> None:
    found = measured(tmp_path, [Exported(1, *CLEAR, (), state="open")])
    assert {(row.precision.share, row.false_bounces.share, row.kappa) for row in found.rows} == {(None, None, None)}
    assert not found.promised


def test_doubtful_are_ten_at_most_of_both_sorts(tmp_path: Path) -> None:
    wrong = [Exported(number, *VAGUE, (FIXED,)) for number in range(1, 9)]
    missed = [Exported(number, *CLEAR, (ASKED,)) for number in range(11, 14)]
    numbers = [each.issue.number for each in measured(tmp_path, wrong + missed).doubtful]
    assert numbers == [8, 7, 6, 5, 4, 3, 2, 13, 12, 11]


def test_the_strictest_choice_that_is_precise_enough_is_proposed() -> None:
    assert propose(rows(lenient=(9, 1), balanced=(9, 1), strict=(7, 3)), 0.8) == (BALANCED, (), True)
    assert propose(rows(lenient=(9, 1), balanced=(9, 1), strict=(7, 3)), 0.7) == (STRICT, (), True)
    assert propose(rows(lenient=(9, 1), strict=(7, 3), strict_bug=(8, 1)), 0.8) == (STRICT, (Kind.BUG,), True)


def test_too_few_or_too_wrong_propose_nothing() -> None:
    assert propose(rows(lenient=(4, 0), strict=(3, 0)), 0.8) == (LENIENT, (), False)
    assert propose(rows(lenient=(7, 3), strict=(7, 3)), 0.8) == (LENIENT, (), False)
