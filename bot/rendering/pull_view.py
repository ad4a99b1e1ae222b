"""A judged change for the terminal and as JSON, the command line's verdict page; a rejection for the terminal. What
strangers wrote is escaped here or bounded in the page's values."""

from dataclasses import replace
from enum import StrEnum
from typing import Any

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from bot.plain_text import clean
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.facts import PullFacts
from bot.pulls.result import PullResult, verdict_of
from bot.rendering.escape import NAME, lines, one_line
from bot.rendering.gate import gate_view
from bot.rendering.issue_view import STYLES, evidence_json, headline, panel, runs_table
from bot.rendering.pull_findings import FailingTest, gist, tests_apart
from bot.rendering.pull_page import Cell, Page, page_of
from bot.rendering.pull_reasons import BLIND, evidence_of
from bot.rendering.rejection_view import control_json, outcome, rejection_json, run_json
from bot.rendering.words import rejection_words
from bot.verdicts import Effect, Evidence
from bot.verification.evidence import HeadTrial, Verified
from bot.verification.fix_guided.questions import VerificationQuestion
from bot.verification.values import Ending

_FAILING, _LINES, _EVIDENCE, _DEMAND = 5, 8, 12, 12  # how many are shown
_MARKS = {
    Effect.CLEAR: ("✓ ", "green"),
    Effect.MISSING: ("○ ", "yellow"),
    Effect.NEUTRAL: ("· ", "dim"),
    Effect.HIDDEN: ("! ", "magenta"),
}


class PullStep(StrEnum):
    """What is being done, for who waits."""

    READ = "Reading the change"
    ASK = "Asking the judge"
    SET_UP = "Setting up what its tests need"
    RUN = "Running the tests without the change and with it"


def pull_json(
    result: PullResult, *, base: str, seconds: float, unavailable: WhenUnavailable = WhenUnavailable.PASS
) -> dict[str, Any]:
    """The document of `bouncer judge pull --json`; the first nine keys are promised, in this order. unavailable: the
    policy's, for the check that `mode: enforce` gives."""
    check = gate_view(result, Mode.ENFORCE, unavailable)
    verdict, facts, page = result.verdict, result.facts, page_of(result)
    patch, ran = facts.patch, facts.trial.patch.facts if facts.trial.patch else None
    return {
        "verdict": verdict.decision.value,
        "label": verdict.label.value if verdict.label else None,
        "probability": None if verdict.probability is None else round(verdict.probability, 4),
        "judge": clean(verdict.judge, 100),
        "reasons": list(page.reasons),
        "tests": {
            "base": run_json(ran.base if ran else None),
            "head": run_json(ran.head if ran else None),
            "own": run_json(ran.own if ran and (ran.own_base or ran.own != ran.head) else None),
            "issue_base": run_json(facts.trial.examples.base),
            "issue_head": run_json(facts.trial.examples.head),
            "claims": run_json(facts.trial.claimed),
            "own_base": run_json(ran.own_base if ran else None),
            "as_pushed": run_json(ran.as_pushed if ran else None),
        },
        "failing": [
            {"name": failed.name, "status": failed.status, "message": failed.message} for failed in page.failing
        ],
        "evidence": evidence_json(evidence_of(result)),
        "symptom": one_line(facts.review.symptom) if facts.review else "",
        "guess": one_line(facts.review.guess) if facts.review else "",
        "verified": rejection_json(facts.trial.verified) if facts.trial.verified else None,
        "asked": one_line(result.asked),
        "agent": one_line(result.agent) or None,
        "base": base,
        "head": result.head,
        "seconds": round(seconds, 3),
        "cause": verdict.cause.value if verdict.cause else None,
        "turned": [{"test": test, "red": red} for test, red in page.turned],
        "contradictions": list(page.contradictions),
        "control": control_json(patch.control),
        "unfinished": [clean(what, 200) for what in patch.unfinished],
        "uncovered": list(page.uncovered),
        "form": page.form or None,
        "look_at": [{"what": title, "names": list(names)} for title, names in page.look_at],
        "holes": list(page.holes),
        "check": {"conclusion": check.conclusion, "title": check.title},
    }


def pull_view(result: PullResult, *, title: str, notes: tuple[str, ...]) -> RenderableType:
    """title: the change's, untrusted. notes: more small print, in Bouncer's own words around names people gave; from
    which commit to which is said there."""
    page, verdict = page_of(replace(result, base="")), result.verdict
    parts: list[RenderableType] = [headline(verdict), *map(Text, page.reasons)]
    parts += _apart(_failing(page))
    parts += _apart([part for each in page.contradictions[:_FAILING] for part in _demands(each)])
    parts += _apart([Text.assemble(("↻ ", "green"), f"{test}: without the change {red}") for test, red in page.turned])
    parts += _apart([part for title, names in page.look_at for part in _looked_at(title, names)])
    parts += _apart([part for each in page.holes for part in _hole(each)])
    parts += _apart(_said(page))
    parts += _ran(page)
    parts += _apart([_observed(found) for found in page.evidence[:_EVIDENCE]])
    parts += _apart(_titled("Not covered", page.uncovered))
    parts += _apart(_titled("An example in this form would be run", tuple(page.form.splitlines())))
    return _framed(parts, page, title, (one_line(result.agent), one_line(result.asked), *notes))


def rejection_view(
    verified: Verified, *, notes: tuple[str, ...] = (), question: VerificationQuestion | None = None
) -> RenderableType:
    """A rejection that was put to the test: what became of it. notes: as above."""
    page = page_of(PullResult(verdict_of(verified), "", facts=PullFacts(trial=HeadTrial(verified=verified))))
    style = f"bold {STYLES[verified.decision]}"
    parts: list[RenderableType] = [
        Text.assemble((verified.decision.value, style), f"  {rejection_words(verified)}"),
        *map(Text, page.reasons),
    ]
    parts += _apart([part for side, test in tests_apart(verified) for part in _failed(test, f", {side}")])
    parts += _apart(_said(page))
    parts += _apart([_observed(found) for found in page.evidence if found.check == BLIND])
    if question:
        parts += [Text(), Text("Which is right? The answer becomes a test; add to the tests:"), *_tests(question)]
    return _framed([*parts, *_ran(page)], page, "", notes)


def _tests(question: VerificationQuestion) -> list[Text]:
    """What to add to the tests, one line for each outcome that can be right."""
    lines = []
    for seen in (question.a, question.b):
        if seen.ending is Ending.RETURNED:
            lines.append(f"assert {question.call} == {seen.value}")
        elif seen.ending is Ending.RAISED:
            lines.append(f"with pytest.raises({seen.value}): {question.call}")
    return [Text(f"    {clean(line, 300)}") for line in lines]


def _ran(page: Page) -> list[RenderableType]:
    tables = ((columns, ((Text(what), *map(_cell, cells)) for what, cells in rows)) for columns, rows in page.tables)
    return _apart([runs_table(*table) for table in tables])


def _framed(parts: list[RenderableType], page: Page, title: str, notes: tuple[str, ...]) -> RenderableType:
    """With the small print."""
    small = (*notes, " · ".join(f"{name}: {value}" for name, value in page.facts))
    parts += _apart([Text(clean(line, 600), "dim") for line in small if line])
    return panel(parts, title, STYLES[page.result.verdict.decision])


def _apart(parts: list[RenderableType]) -> list[RenderableType]:
    return [Text(), *parts] if parts else []


def _titled(title: str, lines: tuple[str, ...]) -> list[RenderableType]:
    return [Text(title, "bold"), *(Text(f"  {line}") for line in lines)] if lines else []


def _looked_at(title: str, names: tuple[str, ...]) -> list[RenderableType]:
    """What a person should look at, the first few of each sort."""
    more = (f"and {len(names) - _FAILING} more",) if len(names) > _FAILING else ()
    return _titled(title, (*names[:_FAILING], *more))


def _hole(found: dict[str, str]) -> list[RenderableType]:
    """An example that a fix by somebody else meets, and the change does not."""
    sides = (("this change", "given"), (f"{found['fix']} {found['url']}".strip(), "wanted"))
    lines = [Text(f"    {side}: {found[key]}") for side, key in sides]
    lines.append(Text(f"    {found['where']} asks for {found['call']} to give {found['wanted']}"))
    return [Text.assemble(("≠ ", "magenta"), found["call"]), *lines]


def _failing(page: Page) -> list[RenderableType]:
    """The tests that speak against it, with what each said at its end."""
    parts: list[RenderableType] = []
    for failed in page.failing[:_FAILING]:
        parts += _failed(failed)
    more = page.more_failing + len(page.failing[_FAILING:])
    return [*parts, Text(f"  and {more} more", "dim")] if more else parts


def _failed(failed: FailingTest, side: str = "") -> list[RenderableType]:
    said = [line for line in gist(failed.message).splitlines() if line.strip()][:_LINES]
    head = Text.assemble(("✗ ", "red"), f"{clean(failed.name, NAME)} {failed.status}{side}")
    return [head, *(Text(f"    {clean(line, 200)}", "dim") for line in said)]


def _demands(found: dict[str, str]) -> list[RenderableType]:
    """What a test of the base's demands, and what the change has in its place, side by side."""
    grid = Grid(box=None, padding=(0, 2, 0, 2), header_style="dim")
    grid.add_column("in the base", ratio=1)
    grid.add_column("in this change", ratio=1)
    grid.add_row(*(Text("\n".join(text.splitlines()[:_DEMAND])) for text in (found["old"], found["new"])))
    return [Text.assemble(("⇄ ", "magenta"), "{test} is {fate}; {settled}".format_map(found)), grid]


def _said(page: Page) -> list[RenderableType]:
    """What the judge says, and an input that tells the change from a fix for it."""
    facts = page.result.facts
    parts: list[RenderableType] = []
    if facts.review and (symptom := one_line(facts.review.symptom)):
        parts.append(Text(f"What the judge sees: {symptom}"))
    if facts.review and (guess := one_line(facts.review.guess)):
        parts.append(Text(f"Its guess at the cause: {guess}", "dim"))
    if facts.trial.verified and (found := facts.trial.verified.difference):
        sides = (("the change as it is", found.original), ("with a fix for it", found.fix))
        parts.append(Text.assemble(("≠ ", "magenta"), clean(lines(found.call))))
        parts += [Text(f"    {side}: {clean(lines(outcome(did)))}") for side, did in sides]
        parts += [Text(f"    What was asked: “{clean(found.quote, NAME)}”")] if found.quote else []
    parts += [Text(f"An attempt at a fix: {one_line(attempt.why)}", "dim") for attempt, _ in page.attempts]
    repair = facts.trial.repair
    return [*parts, Text(one_line(repair.problem), "dim")] if repair and repair.problem else parts


def _cell(cell: Cell | None) -> Text:
    return Text("" if cell is None else cell.text, {True: "green", False: "red", None: ""}[cell.good if cell else None])


def _observed(found: Evidence) -> Text:
    quote = f" “{clean(found.quote, 90)}”" if found.quote else ""
    return Text.assemble(_MARKS[found.effect], f"{found.found}{quote}")
