"""What is said of a fix, and the brief: nothing of a stranger's is alive in it, however long or odd it is."""

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from rich.console import Console

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.values import Expectation, Failure, Fixed, Form, Place, Reproduction, Run, Seen, Trial
from bot.history.values import Candidate, Searched
from bot.issues.facts import CommentParts
from bot.rendering.comment import BRIEF_MARKER, FIXED_MARKER, MARKER, with_note, with_parts
from bot.rendering.fix_messages import brief, fix_part
from bot.rendering.fix_view import fix_view
from bot.reports import IssueText, Report
from bot.verdicts import FixStatus, IssueKind, Item
from tests.rendering.github_markdown import alive
from tests.rendering.test_escape import untrusted

STATUSES = (FixStatus.ALREADY_FIXED, FixStatus.POSSIBLY_FIXED, FixStatus.PARTIALLY_FIXED)


def report(title: str, items: dict[Item, str | None] | None = None) -> Report:
    return Report(IssueText(title, ""), title, "", IssueKind.BUG, items or {}, (), "en", ())


def found(text: str = "it fails", status: FixStatus = FixStatus.ALREADY_FIXED) -> FixFinding:
    """Every text that may come from a stranger is `text`."""
    fix = Candidate(
        "f" * 40, text, "2026-03-01T10:00:00Z", 0.9, (text,), True, text or None, None, ("e" * 40,), likely=True
    )
    shown = Reproduction("a", Form.SCRIPT, text, Expectation(Failure.RAISES, "KeyError"), "the example")
    fails, passes = Run(Seen.AS_REPORTED, f"it raises {text}", text), Run(Seen.PASSES, "it ends as it should")
    mended = Trial(shown, reported=fails, head=passes, without_fix=fails, fix=fix.commit)
    still = Trial(replace(shown, name="b", form=Form.SESSION, steps=(text,)), head=fails)
    trials = (mended, still) if status is FixStatus.PARTIALLY_FIXED else (mended,)
    fixed = Fixed(status, 0.9, (fix,), trials, text or None, (text,), commits=500)
    return FixFinding(
        "digest", "c" * 40, fixed, "https://github.com/a/b/commit/", places=(Place(text or "a.py", text),), lacking=text
    )


@pytest.mark.parametrize(("commits", "said"), [(1, "1 commit searched."), (2, "2 commits searched.")])
def test_commits_are_counted_in_english(commits: int, said: str) -> None:
    console = Console(record=True, file=io.StringIO())
    console.print(fix_view(found().fixed, Searched((), commits), title="A report"))
    assert said in console.export_text()


OURS = (
    "html_block: </details>",
    "html_block: <details>\n<summary>How this was found",
    "link_open: {'href': 'https://github.com/a/b/commit/ffff",
)


@pytest.mark.parametrize("status", STATUSES)
@settings(max_examples=60, deadline=None)
@given(untrusted)
def test_untrusted_text_is_shown_and_does_nothing(status: FixStatus, text: str) -> None:
    said = fix_part(found(text, status), close_at=datetime(2026, 3, 8, tzinfo=UTC))
    told = brief(report(text, {Item.OBSERVED: text}), found(text, status))
    for shown in (said, told):
        assert [what for what in alive(shown) if not what.strip().startswith(OURS)] == []
        assert "<!--" not in shown


@pytest.mark.parametrize("status", [FixStatus.UNKNOWN, FixStatus.STILL_PRESENT])
def test_what_is_not_fixed_is_not_worth_a_word(status: FixStatus) -> None:
    assert fix_part(found(status=status)) == ""


def test_a_commit_that_is_not_likely_is_not_named_and_nothing_is_said_of_its_release() -> None:
    one = found()
    unlikely = replace(
        one.fixed, candidates=(replace(one.fixed.candidates[0], score=0.1, likely=False, released_in=None),)
    )
    said = fix_part(replace(one, fixed=unlikely))
    assert "Which commit fixed it is not known." in said and "has it yet" not in said
    proven = replace(unlikely, fixed_by="f" * 40)
    assert "No tag of a version has it yet" in fix_part(replace(one, fixed=proven))
    assert "Most likely" not in fix_part(replace(one, fixed=proven))


def test_what_came_back_is_not_called_fixed() -> None:
    said = fix_part(replace(found(), regression=True))
    assert "fixed already" not in said and "A maintainer should check" in said and "Please check" not in said


def test_the_branch_of_the_reports_version_is_named_where_the_fix_is_not_on_it() -> None:
    said = fix_part(replace(found(), lacking="2.x"))
    assert "**It is not on `2.x`**, the branch of the version that the report is about" in said
    assert "It is not on" not in fix_part(found(""))


def test_what_could_not_be_run_here_is_shown_to_be_run_by_others() -> None:
    one = found("half(3)", FixStatus.POSSIBLY_FIXED)
    trial = Trial(one.fixed.trials[0].reproduction, head=Run(Seen.CANNOT_RUN, "it needs a network"))
    said = fix_part(replace(one, fixed=replace(one.fixed, trials=(trial,))))
    assert "half(3)" in said and "It cannot be run: it needs a network." in said
    assert "The history suggests that; nothing that was run confirms it." in said


def test_each_guess_says_what_it_stands_on_and_what_is_left_open() -> None:
    one = found("half(3)", FixStatus.POSSIBLY_FIXED)
    mended = one.fixed.trials[0]
    open_ = "The example: What went wrong is gone; the report does not say what should come instead."
    doubted = replace(one, fixed=replace(one.fixed, reasons=(f"The example: {mended.says}", open_)))
    said = fix_part(doubted)
    assert f"but something is still open:\n\n- {open_}\n\nCommit [`ffffffffff`]" in said and said.count(open_) == 1
    assert "made the difference: without it, the report's example fails again" in said
    other = replace(mended, head=Run(Seen.OTHERWISE, "it prints something else than reported", unclear=True))
    said = fix_part(replace(one, fixed=replace(one.fixed, trials=(other,))))
    assert "or may only have changed" in said and "The history suggests that" not in said
    came_back = fix_part(replace(doubted, regression=True))
    assert "**A part of what the report shows passes now**" in came_back and open_ in came_back
    assert "upgrade" not in came_back and "may have fixed it." in came_back


def test_nothing_is_told_twice() -> None:
    one = found("half(3)")
    reasons = (f"The example: {one.fixed.trials[0].says}", "The tag is missing.")
    said = fix_part(replace(one, fixed=replace(one.fixed, reasons=reasons)))
    assert said.count("It passes at the head") == 1 and "The tag is missing." in said


def test_the_brief_says_that_there_is_something_to_run_where_it_cannot_show_it() -> None:
    told = brief(report("half"), found("half(3)  # \u202e"))
    assert "It is too long or too unusual to be repeated here" in told and "shows nothing that can be run" not in told


def test_the_brief_names_likely_commits_alone_and_none_as_the_fix_of_what_still_fails() -> None:
    one = found("half", FixStatus.STILL_PRESENT)
    unlikely = replace(one.fixed.candidates[0], commit="a" * 40, likely=False, score=0.01)
    both = replace(one, fixed=replace(one.fixed, candidates=(*one.fixed.candidates, unlikely)))
    told = brief(report("half"), both)
    assert "ffffffffff" in told and "is about the same" in told and "may have fixed" not in told
    assert "aaaaaaaaaa" not in told
    assert "may have fixed it" in brief(report("half"), found("half"))


def test_the_parts_stand_below_the_head_and_a_note_below_them() -> None:
    whole = with_parts(f"{MARKER}\nThe head.\n", CommentParts("Fixed.", "Brief."))
    assert whole == f"{MARKER}\nThe head.\n\n{FIXED_MARKER}\nFixed.\n\n{BRIEF_MARKER}\nBrief.\n"
    noted = with_note(whole, "A note.")
    assert noted.startswith(whole.rstrip()) and noted.endswith("A note.")
    assert with_parts(noted, CommentParts("Fixed.", "Brief.")) == whole
    assert with_parts(noted, CommentParts(brief="Brief.")) == f"{MARKER}\nThe head.\n\n{BRIEF_MARKER}\nBrief.\n"
    assert with_parts("", CommentParts("Fixed.")) == f"{MARKER}\n\n{FIXED_MARKER}\nFixed.\n"


def test_a_comment_with_everything_fits_into_what_github_takes() -> None:
    long = found("x" * 50_000)
    trial = long.fixed.trials[0]
    fitting = replace(trial, reproduction=replace(trial.reproduction, code="y" * 3_900))
    fixed = replace(
        long.fixed, trials=(fitting,) * 20, reasons=("r" * 500,) * 50, candidates=long.fixed.candidates * 20
    )
    many = replace(long, fixed=fixed)
    asked = report("t" * 5_000, dict.fromkeys(Item, "z" * 5_000))
    assert len(fix_part(many)) + len(brief(asked, many)) < 50_000
