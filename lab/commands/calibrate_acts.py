"""What maintainers did after bounces, read for `bouncer calibrate --from-reports`, and what came of it in lines."""

from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from bot.live.precision import BY_MAINTAINERS, Bounce, Subject, Word, bounces_of
from bot.live.verdicts import read_verdicts
from bot.plain_text import clean, count_of
from bot.policy_choices import PROMISES, Mode
from bot.storage.database import Database
from lab.commands.bench_table import percent
from lab.commands.calibrate_view import label_word
from lab.fitting.from_acts import MOST_OF_AUTHOR, ActsFitted, JudgedIssue
from lab.fitting.from_labels import SHRINK

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
