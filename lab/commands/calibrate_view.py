"""What `bouncer calibrate` found, as lines for the terminal and for `--json`.

Of the acts that `--from-reports` learns from, those that maintainers did after bounces are read here.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from bot.commands.shared import InputError
from bot.judges.calibration.calibration import Calibration, CalibrationSource
from bot.live.precision import BY_MAINTAINERS, Bounce, Subject, Word, bounces_of
from bot.live.verdicts import read_verdicts
from bot.plain_text import clean, count_of
from bot.policy_choices import PROMISES, Mode, Strictness
from bot.storage.database import Database
from bot.verdicts import SpecificationLabel
from lab.commands.bench_table import percent
from lab.fitting.from_acts import MOST_OF_AUTHOR, ActsFitted, JudgedIssue
from lab.fitting.from_labels import SHRINK, Fitted, JointFit, Measured
from lab.fitting.reliability import Point, Reliability

_BAR = 40  # characters
_HEAD = "  strictness  promise  holds from              false bounces (at most)  recall"


def label_word(label: SpecificationLabel | None) -> str:
    """As it is written in a file of labels."""
    return label.value if label else "nothing"


def fit_lines(judge: str, fitted: Fitted, told: Reliability) -> list[str]:
    """One judge: its labels, its cuts, its diagrams."""
    made = fitted.calibration
    lines = [
        f"{clean(judge)}: {_issues_of(made)}; people would bounce {sum(fitted.bounce)}.",
        "",
        f"  label                  probability  issues   (prior: {SHRINK} issues with Bouncer's default)",
        *(
            f"  {label_word(label):22} {worth.probability:11.2f} {worth.issues:7}"
            for label, worth in made.labels.items()
        ),
        "",
        _HEAD,
        *(_measured_line(strictness, each) for strictness, each in fitted.measured.items()),
    ]
    if any(each.shipped for each in fitted.measured.values()):
        lines.append("  * Bouncer's default threshold: these issues are too few to choose another")
    return [*lines, "", *_diagrams(told)]


def joint_lines(joint: JointFit, told: Reliability) -> list[str]:
    """All judges together, which nothing is stored of: a server asks one, or some that vote."""
    judges = f"all {joint.judges} judges together" if joint.judges > 1 else "the judge"
    beside = f", with {', '.join(map(clean, joint.evidence))}" if joint.evidence else ""
    return [
        f"{judges}{beside}: {count_of(len(joint.bounce), 'issue')}. This is shown to compare, and not stored.",
        "",
        _HEAD.replace("holds from", "          "),
        *(_measured_line(strictness, each, named=False) for strictness, each in joint.measured.items()),
        "",
        *_diagrams(told),
    ]


def calibration_lines(kept: Calibration) -> list[str]:
    """One that is stored."""
    made_from = "labels of" if kept.source is CalibrationSource.LABELS else "what maintainers did with"
    lines = [
        f"{clean(kept.judge)}, {clean(kept.repository) or 'the whole server'}: of {kept.made_at:%Y-%m-%d},"
        f" from {made_from} {_issues_of(kept)}",
        *(
            f"  {label_word(label):22} {worth.probability:5.2f}  from {count_of(worth.issues, 'issue')}"
            for label, worth in kept.labels.items()
        ),
    ]
    for strictness in Strictness:
        point = kept.points.get(strictness)
        holds = f"holds from {label_word(point.holds_from)}" if point else "Bouncer's default threshold"
        bound = f", at most {point.at_most:.1%} false bounces" if point and point.at_most is not None else ""
        lines.append(f"  {strictness:10} {holds}{bound}")
    return lines


def fit_document(judge: str, fitted: Fitted, told: Reliability) -> dict[str, Any]:
    """One judge for `--json`."""
    made = fitted.calibration
    return {
        "judge": judge,
        "stored_as": made.judge,
        "issues": made.issues,
        "repositories": made.repositories,
        "labels": {label: asdict(worth) for label, worth in made.labels.items()},
        "strictness": _strictness(fitted.measured),
        "reliability": asdict(told),
    }


def joint_document(joint: JointFit, told: Reliability) -> dict[str, Any]:
    """All judges together for `--json`."""
    return {
        "judges": joint.judges,
        "evidence": joint.evidence,
        "issues": len(joint.bounce),
        "strictness": {
            strictness: {name: figure for name, figure in each.items() if name not in ("holds_from", "shipped")}
            for strictness, each in _strictness(joint.measured).items()
        },
        "reliability": asdict(told),
    }


def _issues_of(made: Calibration) -> str:
    repositories = "1 repository" if made.repositories == 1 else f"{made.repositories} repositories"
    return f"{count_of(made.issues, 'issue')} of {repositories}"


def _strictness(measured: Mapping[Strictness, Measured]) -> dict[str, Any]:
    return {strictness: {"promise": PROMISES[strictness], **asdict(each)} for strictness, each in measured.items()}


def _measured_line(strictness: Strictness, each: Measured, *, named: bool = True) -> str:
    holds = label_word(each.holds_from) + ("*" if each.shipped else "") if named else ""
    false = f"{percent(each.false_bounces)} ({percent(each.at_most)})"
    return f"  {strictness:10} {PROMISES[strictness]:8.0%}  {holds:22} {false:>24} {percent(each.recall):>7}"


def _diagrams(told: Reliability) -> Iterator[str]:
    yield f"  Does a probability come true? Brier score {told.brier:.3f}, calibration error {told.error:.3f}."
    yield "  predicted  observed  issues"
    for each in told.bins:
        yield f"  {each.predicted:9.2f} {each.observed:9.2f} {each.issues:7}  {_bar(each.observed, each.predicted)}"
    yield "  The bar is what was observed, the mark | what was predicted."
    yield ""
    yield (
        f"  Wrong answers when only the surest are given: area {told.area:.3f}, in any order {told.at_random:.3f}"
        " (0 is best)."
    )
    yield "  answered    wrong"
    for point in dict.fromkeys(_first_beyond(told.curve, tenth / 10) for tenth in range(1, 11)):
        yield f"  {point.coverage:8.0%} {point.risk:8.1%}  {_bar(point.risk)}"


def _first_beyond(curve: Sequence[Point], coverage: float) -> Point:
    return next((point for point in curve if point.coverage >= coverage - 1e-9), curve[-1])


def _bar(share: float, mark: float | None = None) -> str:
    cells = ["█" if place < round(share * _BAR) else " " for place in range(_BAR + 1)]
    if mark is not None:
        cells[round(mark * _BAR)] = "|"
    return "".join(cells).rstrip()


Draw = Callable[[Mapping[str, Reliability]], list[str]]

_MEND = "--plots needs matplotlib, which is not installed. Install it: pip install 'bouncer-bot[plots]'."


def make_plotter(folder: Path) -> Draw:
    """What draws a file for each judge into the folder, and names them. Raises `InputError` without matplotlib, or
    where the folder cannot be made."""
    try:
        figure = import_module("matplotlib.figure").Figure
    except ImportError:
        raise InputError(_MEND) from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}. Name a directory that can be written.") from None

    def draw(told: Mapping[str, Reliability]) -> list[str]:
        paths = []
        for name, each in told.items():
            path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.png"
            drawn = _draw(figure(figsize=(10, 5), layout="constrained"), name, each)
            try:
                drawn.savefig(path, dpi=120)
            except OSError as error:
                raise InputError(f"{path}: {error.strerror}. Name a directory that can be written.") from None
            paths.append(str(path))
        return paths

    return draw


def _draw(figure: Any, name: str, told: Reliability) -> Any:
    """Both diagrams side by side, on matplotlib's figure, whose types are not here without the extra."""
    left, right = figure.subplots(1, 2)
    figure.suptitle(name)
    left.plot([0, 1], [0, 1], color="grey", linestyle="--")
    left.plot([each.predicted for each in told.bins], [each.observed for each in told.bins], marker="o")
    for each in told.bins:
        left.annotate(str(each.issues), (each.predicted, each.observed), textcoords="offset points", xytext=(6, -10))
    left.set(
        xlim=(0, 1), ylim=(0, 1), xlabel="predicted", ylabel="observed", title=f"Calibration error {told.error:.3f}"
    )
    right.plot([each.coverage for each in told.curve], [each.risk for each in told.curve])
    right.axhline(told.at_random, color="grey", linestyle="--")
    right.set(xlim=(0, 1.02), ylim=(0, None), xlabel="answered", ylabel="wrong", title=f"Area {told.area:.3f}")
    return figure


_EVER = datetime.min.replace(tzinfo=UTC)
_MEANING = {Word.RIGHT: True, Word.WRONG: False, Word.NONE: None}


def read_judged(database: Database, repository: str) -> dict[str, list[JudgedIssue]]:
    """By judge, the issues of a repository (of all where it is empty) whose verdicts people could see, the oldest
    first. An issue counts once, by its first bounce, else by its first verdict."""
    decided, acts = read_verdicts(database, _EVER)
    seen = [
        one
        for one in decided
        if one.subject is Subject.ISSUE and one.mode is not Mode.OBSERVE and repository in ("", one.repository)
    ]
    bounces: dict[tuple[str, str, int], Bounce] = {}
    for bounce in bounces_of(seen, acts):
        bounces.setdefault((bounce.first.judge, bounce.first.repository, bounce.first.number), bounce)
    found: dict[str, dict[tuple[str, int], JudgedIssue]] = defaultdict(dict)
    for one in seen:
        ended = bounces.get((one.judge, one.repository, one.number))
        label = ended.first.label if ended else one.label
        if label is not None:
            judged = JudgedIssue(one.repository, one.author, label, ended is not None, _word(ended))
            found[one.judge].setdefault((one.repository, one.number), judged)
    return {judge: list(issues.values()) for judge, issues in found.items()}


def _word(bounce: Bounce | None) -> bool | None:
    return _MEANING[bounce.word] if bounce and bounce.event in BY_MAINTAINERS else None


def acts_lines(judge: str, found: ActsFitted) -> list[str]:
    """What was found, for the terminal."""
    issues = count_of(found.judged, "issue")
    lines = [
        f"{clean(judge)}: {issues} that people saw judged, at most {MOST_OF_AUTHOR} of one author;"
        f" {found.bounced} bounced, of which maintainers called {found.wrong} wrong and {found.right} right.",
    ]
    if found.calibration.labels:
        lines += [
            "",
            f"  label                  probability  feedback   (prior: {SHRINK} issues with the value before)",
        ]
        for label, worth in found.calibration.labels.items():
            lines.append(f"  {label_word(label):22} {worth.probability:11.2f} {worth.issues:12}")
    lines += ["", "  strictness  promise  wrong  at least  holds from"]
    for strictness, kept in found.kept.items():
        cut = label_word(kept.now) if kept.before or kept.moved else "the judge's own threshold"
        moved = f", before from {label_word(kept.before)}" if kept.moved else ""
        share = percent(kept.at_least)
        lines.append(f"  {strictness:10} {PROMISES[strictness]:8.0%} {kept.wrong:6} {share:>9}  {cut}{moved}")
    return [
        *lines,
        "",
        "  at least: the lower bound of the wrong bounces' share of all that was judged. Above its promise, the",
        "  threshold moves to the next label. Only bounced issues get feedback, so nothing here can show that a",
        "  milder one would do.",
    ]


def acts_document(judge: str, found: ActsFitted) -> dict[str, Any]:
    """The same for `--json`."""
    return {
        "judge": judge,
        **{name: getattr(found, name) for name in ("judged", "bounced", "right", "wrong", "changes")},
        "labels": {
            label: {"probability": worth.probability, "issues": worth.issues}
            for label, worth in found.calibration.labels.items()
        },
        "strictness": {
            strictness: {
                "promise": PROMISES[strictness],
                "wrong": kept.wrong,
                "at_least": kept.at_least,
                "before": kept.before,
                "holds_from": kept.now,
            }
            for strictness, kept in found.kept.items()
        },
    }
