"""What a diff shows, as evidence. Pure; `docs/internals/diff-evidence.md` lists the checks.

`MISSING` speaks against the change, `CLEAR` for it, `NEUTRAL` is said for the reader; what is weak, because right
changes show it nearly as often, is `NEUTRAL` and says so. `found` holds no text from strangers; `quote` may.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from posixpath import dirname

from bot.changes.demands import LINES, new_tests
from bot.changes.risks.lines import ANY_REMARK, first
from bot.changes.risks.values import Holds, Risk
from bot.changes.terms import code_terms, met
from bot.changes.values import Change, FileChange, FileKind, FileStatus
from bot.plain_text import count_of
from bot.verdicts import Effect, Evidence

QUOTE = 200  # characters

# Of files, where the kind's own name does not say it of many.
_KINDS = {
    **{FileKind.TEST: "tests", FileKind.LOCK: "lock files"},
    **{FileKind.CI: "CI and build", FileKind.RECORD: "agents' records"},
}
MOST_PLACES = 5  # of one sort that are told, each with its line
_ASKED = 100_000  # characters
_LONGEST = 400  # characters of a line; no guard is longer
_GUARDS = tuple(map(LINES.pattern, ("guard", "catch")))
_WAY_OUT, *_AROUND = map(LINES.pattern, ("out", "try", "close"))


def evidence(change: Change, asked: str, noop: bool = False, demanded: bool = False) -> tuple[Evidence, ...]:
    """Everything the diff shows. asked: the issue's text. noop: it does nothing, for certain. demanded: others ask for
    behaviour."""
    asked = asked[:_ASKED]
    return (
        *_whole(change),
        *_edits(change, noop, Effect.MISSING if demanded else Effect.NEUTRAL),
        *_fit(change, asked),
        *_beside(change),
    )


def _whole(change: Change) -> Iterator[Evidence]:
    if change.problem:
        yield _item("diff_unread", Effect.MISSING, f"The diff was not read to its end. {change.problem}")
    if not change.files:
        yield _item("diff_empty", Effect.MISSING, "The change is empty.")
        return
    added, removed = (sum(getattr(file, side) for file in change.files) for side in ("added", "removed"))
    hunks = sum(len(file.hunks) for file in change.files)
    folders = len({dirname(file.path) for file in change.files})
    yield _item(
        "diff_size",
        Effect.NEUTRAL,
        f"It adds {count_of(added, 'line')} and removes {count_of(removed, 'line')}, in {count_of(hunks, 'place')} of"
        f" {count_of(len(change.files), 'file')} in {count_of(folders, 'folder')}.",
    )
    kinds = Counter(file.kind for file in change.files)
    told = ", ".join(f"{_KINDS.get(kind, kind.value)} {kinds[kind]:,}" for kind in FileKind if kinds[kind])
    yield _item("file_kinds", Effect.NEUTRAL, f"Changed files: {told}.")


def _edits(change: Change, noop: bool, effect: Effect) -> Iterator[Evidence]:
    """effect: of doing nothing."""
    if not change.files:
        return
    if noop:
        say = "Only comments, docstrings and formatting of code differ."
        yield _item("no_op", effect, say, change.files)
        return
    if not change.of(FileKind.CODE):
        yield _item("no_code", Effect.NEUTRAL, "It changes no code outside the tests.", change.files)
    if only_guards(change.files):
        say = (
            "Weak: it only guards code that was there. Does that mend the cause, or hide it? Many right fixes do this."
        )
        code = change.of(FileKind.CODE)
        yield from risk_evidence(Risk("only_guards", say, file.path, first(file), holds=Holds.NEVER) for file in code)


def _fit(change: Change, asked: str) -> Iterator[Evidence]:
    """Whether the touched code is what the issue speaks of."""
    terms = code_terms(asked)
    touched = change.of(FileKind.CODE)
    if not terms or not touched:
        return
    by_file = [(file, met(file, terms)) for file in touched]
    held = frozenset().union(*(names for _, names in by_file))
    if not held:
        say = f"It edits no code that the issue names ({count_of(len(terms), 'name')})."
        yield _item("code_terms", Effect.MISSING, say)
        return
    say = f"It edits code that the issue names ({len(held)} of {count_of(len(terms), 'name')})."
    yield _item("code_terms", Effect.CLEAR, say, quote=", ".join(sorted(held)))
    strange = [file for file, names in by_file if not names and file.status is not FileStatus.ADDED]
    if strange:
        say = f"Weak: {count_of(len(strange), 'code file')} without any name from the issue."
        yield _item("unrelated_files", Effect.NEUTRAL, say, strange)


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


def _item(check: str, effect: Effect, say: str, files: Iterable[FileChange] = (), *, quote: str = "") -> Evidence:
    quote = quote or ", ".join(dict.fromkeys(file.path[:QUOTE] for file in files))
    return Evidence(check, effect, say, quote if len(quote) <= QUOTE else quote[: QUOTE - 1] + "…", "diff")


def only_guards(files: tuple[FileChange, ...]) -> bool:
    """Whether all that these files' code gains is guards around lines that were there before: defence in depth, code
    that catches or steps round a problem instead of mending it (FixedBench, appendix D, "Add Defense in Depth: the
    agent adds an additional fallback mechanism intended to catch the described problem"). It is a weak sign: many a
    right fix is a guard.

    A guard is a check for nothing (`if x is None`, `if (!x)`) or a caught exception, with a quiet way out below it:
    what raises hides no problem. Lines that are only set deeper are not new.
    """
    found = False
    for file in files:
        if file.kind is not FileKind.CODE:
            continue
        removed = {text for hunk in file.hunks for line in hunk.removed if (text := line.strip())}
        kept = removed & {line.strip() for hunk in file.hunks for line in hunk.added}
        if removed - kept:
            return False
        for text in (line.strip() for hunk in file.hunks for line in hunk.added):
            if not text or text in kept or text.startswith(ANY_REMARK):
                continue
            if len(text) > _LONGEST:
                return False
            guard = next(filter(None, (each.fullmatch(text) for each in _GUARDS)), None)
            if guard and _WAY_OUT.fullmatch(guard["then"]):
                found = True
            elif guard or not any(part.fullmatch(text) for part in (_WAY_OUT, *_AROUND)):
                return False
    return found
