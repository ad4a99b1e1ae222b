"""Which of a program's suites a change concerns: those of the languages that it changes, and those whose files name
what it changes."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath

from bot.changes.kinds import is_for_people, is_test
from bot.policy import Verify
from bot.verification.environments.ci.reader import PlanReader
from bot.verification.environments.detect import suites
from bot.verification.environments.manifests import BY_EXIT, PERL, PYTHON, SCRIPT, SHELL, Detected, Manifests
from bot.verification.programs import content, source_files
from bot.verification.values import Program

# How the names of each language's files end. Those of no suite's language (data, templates, manifests) concern all.
ENDINGS = {
    PYTHON: (".py", ".pyi", ".pyx", ".pxd"),
    SCRIPT: (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"),
    "go": (".go",),
    "rust": (".rs",),
    PERL: (".pl", ".pm", ".t"),
    SHELL: (".sh", ".bash"),
}
_MOST, _LARGEST = 2_000, 200_000  # files of a language that are searched, and bytes of one


@dataclass(frozen=True, slots=True)
class ConcernedSuites:
    """run: at least one. left: those that would run, if the policy's own command did not stand in their place."""

    run: tuple[Detected, ...]
    left: tuple[Detected, ...] = ()


def suites_of_change(base: Program, policy: Verify, changed: Collection[str]) -> ConcernedSuites:
    """changed: paths. The suites are the base's."""
    there = suites(base, policy.paths)
    concerned = _concerned(there, base, changed) if len(there) > 1 or policy.test else there
    if policy.test is None:
        return ConcernedSuites(concerned or there[:1])
    runs = PlanReader(Manifests(base)).languages(policy.test)
    apart = [each for each in there if policy.at(each.folder).test is None]
    others = [each for each in there if each not in apart] or [Detected((), "", "", PYTHON)]
    own = next((each for each in others if each.language in runs), others[0])
    left = [each for each in concerned if each not in apart and runs and each.language not in runs]
    beside = (each for each in concerned if each in apart)
    return ConcernedSuites((replace(own, test=policy.test), *beside), tuple(left))


def _concerned(there: tuple[Detected, ...], base: Program, changed: Collection[str]) -> tuple[Detected, ...]:
    told = [path for path in changed if not is_for_people(path)]
    whose, files = {path: _nearest(there, path) for path in told}, sorted({*source_files(base.tree), *base.files})

    def is_concerned(suite: Detected) -> bool:
        others = [path for path in told if suite not in whose[path]]
        return len(others) < len(told) or _names(suite, base, files, others)

    return tuple(filter(is_concerned, there))


def _nearest(there: Collection[Detected], path: str) -> list[Detected]:
    """Those of the file's language, or all where it is of none of theirs; of these the ones in whose folder it lies, as
    far down as may be, or all where it lies in none. Beside them those that no CI and no root tells of, where it is of
    their language or of nobody's, and those that tell by their exit status, where it is of their language."""
    close = [each for each in there if not each.folder or path.startswith(f"{each.folder}/")]
    speaking = [each for each in there if path.endswith(ENDINGS.get(each.language, ()))]
    usual = [each for each in there if not (each.inside or each.language in BY_EXIT)] or list(there)
    spoken = [each for each in usual if each in speaking]
    around = [each for each in spoken or usual if each in close]
    deepest = max((len(each.folder) for each in around), default=0) if spoken else 0
    own = [each for each in around if len(each.folder) >= deepest]
    beside = [each for each in close if each not in usual and (each in speaking or (each.inside and not speaking))]
    return [*own, *beside] or spoken or usual


def _names(suite: Detected, base: Program, files: Iterable[str], paths: Collection[str]) -> bool:
    """Whether one of these files, of the suite's language and in its folder, names one of the paths."""
    names = [PurePosixPath(path).name.encode() for path in paths]
    if not names:
        return False
    start, endings = f"{suite.folder}/" if suite.folder else "", ENDINGS.get(suite.language, ())
    own = (path for path in files if path.startswith(start) and path.endswith(endings))
    own = (path for path in own if suite.language not in BY_EXIT or "test" in path or is_test(path))
    texts = (content(base, path) or b"" for path in islice(own, _MOST))
    return any(name in text for text in texts if len(text) <= _LARGEST for name in names)
