"""What a diff shows, as evidence. Pure; `docs/internals/diff-evidence.md` lists the checks.

`MISSING` speaks against the change, `CLEAR` for it, `NEUTRAL` is said for the reader. `found` holds no text from
strangers; `quote` may.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from bot.changes.demands import new_tests
from bot.changes.risks.lines import first
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import Change, FileChange, FileKind
from bot.verdicts import Effect, Evidence

QUOTE = 200  # characters
MOST_PLACES = 5  # of one sort that are told, each with its line


def evidence(change: Change, noop: bool = False, demanded: bool = False) -> tuple[Evidence, ...]:
    """Everything the diff shows. noop: it does nothing, for certain. demanded: others ask for behaviour."""
    return (*_whole(change, noop, Effect.MISSING if demanded else Effect.NEUTRAL), *_beside(change))


def _whole(change: Change, noop: bool, effect: Effect) -> Iterator[Evidence]:
    """effect: of doing nothing."""
    if change.problem:
        yield _item("diff_unread", Effect.MISSING, f"The diff was not read to its end. {change.problem}")
    if not change.files:
        yield _item("diff_empty", Effect.MISSING, "The change is empty.")
        return
    if noop:
        say = "Only comments, docstrings and formatting of code differ."
        yield _item("no_op", effect, say, change.files)
    elif not change.of(FileKind.CODE):
        yield _item("no_code", Effect.NEUTRAL, "It changes no code outside the tests.", change.files)


def risk_evidence(found: Iterable[Risk]) -> Iterator[Evidence]:
    """What was found as evidence, each with its place. What holds speaks against the change."""
    counted: Counter[tuple[str, str]] = Counter()
    for risk in found:
        counted[risk.check, risk.sentence] += 1
        if counted[risk.check, risk.sentence] <= MOST_PLACES:
            effect = Effect.MISSING if risk.holds is Holds.ALWAYS else Effect.NEUTRAL
            where = f"diff, line {risk.line}" if risk.line else "diff"
            yield Evidence(risk.check, effect, risk.sentence, risk.path[:QUOTE], where)


def _beside(change: Change) -> Iterator[Evidence]:
    """What stands beside its code."""
    for file in new_tests(change)[:MOST_PLACES]:
        yield Evidence("tests_added", Effect.CLEAR, "Tests are added.", file.path[:QUOTE], f"diff, line {first(file)}")
    if (locks := change.of(FileKind.LOCK)) and not change.of(FileKind.DEPENDENCIES):
        say = "A lock file changes without the manifest that it follows."
        yield _item("lock_without_manifest", Effect.MISSING, say, locks)


def _item(check: str, effect: Effect, say: str, files: Iterable[FileChange] = ()) -> Evidence:
    quote = ", ".join(dict.fromkeys(file.path[:QUOTE] for file in files))
    return Evidence(check, effect, say, quote if len(quote) <= QUOTE else quote[: QUOTE - 1] + "…", "diff")
