"""What `bouncer learn` found, for the terminal and as JSON; the proposed policy and form, as files to adopt.

The words in it are a project's maintainers'. They are shown to whoever maintains it, and kept nowhere else.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bot.backtest.learning import FEWEST_ASKED, FactCount, LaterFigures, LearntFact
from bot.plain_text import clean, count_of, for_terminal, join_words
from bot.policy import AskFor

_LEAST_SHARE = 0.1  # of the threads in which maintainers asked


@dataclass(frozen=True, slots=True)
class LearntView:
    """threads: that were read; asking: those in which maintainers asked. words: of their own that stand in many
    questions. later: what the policy held of the later issues, without and with the proposed entries. form: whether the
    project has none, as far as known."""

    repository: str
    threads: int
    asking: int
    counts: tuple[FactCount, ...]
    words: tuple[tuple[str, int], ...]
    learnt: tuple[LearntFact, ...]
    later: tuple[LaterFigures, LaterFigures]
    form: bool
    notes: tuple[str, ...]


def learnt_text(view: LearntView) -> str:
    """Everything, from what was asked to what to adopt."""
    lines = [
        f"{view.repository}: {count_of(view.threads, 'report')}; maintainers asked for more in {view.asking}.",
        *view.notes,
        "",
    ]
    if view.counts:
        lines.append("What they asked for in their first answers (answered; then fixed or done):")
        lines += [line for count in view.counts for line in _count_lines(count)]
    else:
        lines.append("They asked for nothing that most projects ask for. Questions are read in English only.")
    if view.words:
        lines += [
            "",
            f"Other words of their questions: {', '.join(f'{word} ({times})' for word, times in view.words)}.",
        ]
    before, after = view.later
    lines += [
        "",
        _later("With the policy as it is", before),
        *([_later("With what is proposed", after)] if view.learnt else []),
        "",
    ]
    if view.learnt:
        lines += [
            "Proposed for .github/bouncer.yml; nothing holds until you adopt it:",
            "",
            ask_for_yaml(view.learnt),
        ]
    else:
        lines.append("Nothing is proposed: no missing fact tells where maintainers ask more often than elsewhere.")
    if view.form and (fields := form_fields(view.counts, view.asking)):
        lines += [
            "",
            "No form is known. One for .github/ISSUE_TEMPLATE/bug.yml:",
            "",
            form_yaml(fields),
        ]
    return for_terminal("\n".join(lines) + "\n")


def learnt_json(view: LearntView) -> dict[str, Any]:
    """Texts are one line each, without anything invisible."""
    before, after = view.later
    return {
        "repository": view.repository,
        "threads": view.threads,
        "asking": view.asking,
        "asked_for": [
            {
                **asdict(count),
                "examples": [{"number": n, "text": clean(text)} for n, text in count.examples],
            }
            for count in view.counts
        ],
        "ask_for": [
            {
                **each.want.model_dump(mode="json"),
                "right": each.right,
                "wrong": each.wrong,
            }
            for each in view.learnt
        ],
        "later": {"without": asdict(before), "with": asdict(after)},
        "notes": list(view.notes),
    }


def ask_for_yaml(learnt: Sequence[LearntFact]) -> str:
    """The entries as a part of the policy. JSON's texts and lists are YAML's."""
    lines = ["issues:", "  ask_for:"]
    for each in learnt:
        lines.append(f"    # held before: {each.right} that were asked about, {each.wrong} that were not")
        lines += [f"    {'- ' if key == 'fact' else '  '}{key}: {value}" for key, value in _keys(each.want)]
    return "\n".join(lines)


def form_fields(counts: Sequence[FactCount], asking: int) -> tuple[FactCount, ...]:
    """What a form would ask for: whatever was asked for more than by chance, in no small part of the threads in which
    maintainers asked."""
    return tuple(count for count in counts if count.asked >= max(FEWEST_ASKED, _LEAST_SHARE * asking))


def form_yaml(fields: Sequence[FactCount]) -> str:
    """A form of GitHub's, with a field for what happens and one for each fact."""
    lines = ["name: Bug report", "description: Something does not work.", "body:"]
    asked = [("What happens", "What do you do, what happens, and what should happen?", True)]
    asked += [(count.fact.capitalize(), count.question, False) for count in fields]
    for number, (label, question, required) in enumerate(asked):
        lines += [
            "  - type: textarea",
            f"    id: field{number}",
            "    attributes:",
            f"      label: {_text(label)}",
            f"      description: {_text(question)}",
            *(["    validations: {required: true}"] if required else []),
        ]
    return "\n".join(lines)


def _count_lines(count: FactCount) -> list[str]:
    kinds = join_words([f"{times} of kind {kind}" for kind, times in sorted(count.kinds.items())])
    written = "".join(f"; {times} in {clean(name, 40)}" for name, times in sorted(count.templates.items()))
    return [
        f"  {count.fact}: {count.asked} ({count.answered}; {count.led_on}), {kinds}{written}",
        *(f"    #{number}: {clean(text, 160)}" for number, text in count.examples),
    ]


def _later(which: str, found: LaterFigures) -> str:
    return (
        f"{which}, of the later issues {found.held} are held: {found.right} of {found.unclear} that maintainers asked "
        f"about, {found.wrong} of {found.clear} by mistake."
    )


def _keys(want: AskFor) -> list[tuple[str, str]]:
    return [(key, _text(value)) for key, value in want.model_dump(mode="json").items() if value]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
