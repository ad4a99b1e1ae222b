"""A verdict for the terminal. Untrusted text is cleaned and enters as `Text`, which reads no markup."""

from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bot.issues.agent_reach import CHECK as AGENT_REACH
from bot.plain_text import clean
from bot.rendering import words
from bot.rendering.escape import fields_json
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.words import CAUSES, question_sentence
from bot.verdicts import KINDS, Decision, Effect, Evidence, PatchLabel, Verdict

LONGEST_REASONING = 1_000  # characters
STYLES = {Decision.ACCEPT: "green", Decision.BOUNCE: "yellow", Decision.UNAVAILABLE: "red"}


def verdict_view(verdict: Verdict, title: str = "") -> RenderableType:
    """The verdict with its checklist, questions and evidence; `title` is the issue's, untrusted."""
    style = STYLES[verdict.decision]
    lines = [headline(verdict), *(Text(clean(reason)) for reason in issue_reasons(verdict))]
    if verdict.checklist:
        lines.append(Text())
    for line in verdict.checklist:
        quote = f": “{clean(line.quote, 90)}”" if line.clear and line.quote else ""
        lines.append(Text.assemble(("✓ ", "green") if line.clear else ("○ ", "yellow"), words.item_words(line), quote))
    if verdict.questions:
        lines.append(Text())
    for number, question in enumerate(verdict.questions, 1):
        lines.append(Text(f"{number}. {clean(question_sentence(question, verdict.language))}"))
    if verdict.reasoning:
        lines += [Text(), Text(f"The judge wrote: {clean(verdict.reasoning, LONGEST_REASONING)}", "dim")]
    hidden = dict.fromkeys(found.found for found in verdict.evidence if found.effect is Effect.HIDDEN)
    lines += [Text(clean(found), "magenta") for found in hidden]
    lines += [Text(clean(found.found)) for found in verdict.evidence if found.check == AGENT_REACH]
    return panel(lines, title, style)


def panel(parts: Iterable[RenderableType], title: str, style: str) -> RenderableType:
    """All of it in one frame. title: a stranger's, perhaps empty."""
    named = Text(clean(title, 100)) if title else None
    return Panel(Group(*parts), title=named, title_align="left", border_style=style)


def runs_table(columns: Iterable[str], rows: Iterable[Iterable[Text]]) -> RenderableType:
    """What was run, and how it ended in each of these places."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("ran in the sandbox", *columns):
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    return Padding(table, 0)


def headline(verdict: Verdict) -> Text:
    """The decision; of an issue also what the judge calls it, and how sure it is. A judge's label of a patch is an
    opinion that may differ from the verdict, and has its place below it."""
    parts: list[str | tuple[str, str]] = [(verdict.decision.value, f"bold {STYLES[verdict.decision]}")]
    said = [CAUSES[verdict.cause]] if verdict.cause else []
    said += [KINDS[verdict.kind]] if verdict.kind else []
    of_issue = not isinstance(verdict.label, PatchLabel)
    said += [words.LABELS[verdict.label]] if verdict.label and of_issue else []
    if said:
        parts.append(f"  {', '.join(said)}")
    if verdict.probability is not None and of_issue:
        parts.append(f"; too little to act on: {words.chance(verdict.probability)}")
    if verdict.label and of_issue:  # otherwise no judge had a say, or the reason names it
        parts.append((f"  ({clean(verdict.judge, 100)})", "dim"))
    return Text.assemble(*parts)


def issue_json(verdict: Verdict) -> dict[str, Any]:
    """Exactly the keys the command line promises. Texts are one line each, without anything invisible."""
    return {
        "verdict": verdict.decision.value,
        "label": verdict.label.value if verdict.label else None,
        "probability": None if verdict.probability is None else round(verdict.probability, 4),
        "judge": clean(verdict.judge, 100),
        "kind": verdict.kind.value if verdict.kind else None,
        "missing": [clean(line.own) or line.item.value for line in verdict.checklist if not line.clear],
        "questions": [clean(question_sentence(question, verdict.language)) for question in verdict.questions],
        "reasoning": clean(verdict.reasoning, 4_000),
        "evidence": evidence_json(verdict.evidence),
    }


def evidence_json(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    """What was observed, one line each."""
    return [fields_json(found, "check effect found quote where") for found in evidence]
