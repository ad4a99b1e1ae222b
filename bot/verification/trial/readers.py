"""Which of the base's tests may read a file that lies beside them: those that name it, or use a helper that does."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from bot.verification.loading import closure
from bot.verification.programs import content
from bot.verification.testing.sources import steers_the_runner
from bot.verification.trial.files_of_tests import names_of
from bot.verification.trial.judging_files import JudgingFiles
from bot.verification.values import Program

_MOST_READ = 2_000  # files of the base's that are looked through
_MOST_DATA = 50  # changed files that are looked for


def readers(judges: JudgingFiles, base: Program) -> frozenset[str]:
    """The base's test files that may read what the change puts beside its tests, code and configuration apart."""
    data = [path for path in sorted(judges.beside) if not path.endswith(".py") and not steers_the_runner(path)]
    if not data:
        return frozenset()
    texts = {path: content(base, path) or b"" for path in sorted(filter(judges.judges, judges.base.names))[:_MOST_READ]}
    found: set[str] = set()
    for path in data[:_MOST_DATA]:
        pure = PurePosixPath(path)
        for words in (names_of(pure, judges.folders), [pure.suffix.encode()] if pure.suffix else []):
            if naming := {each for each, text in texts.items() if any(word in text for word in words)}:
                found |= naming
                break  # else those that name the ending of such files
    return frozenset(_tests_with(found, texts.keys(), judges))


def _tests_with(naming: set[str], there: Iterable[str], judges: JudgingFiles) -> Iterator[str]:
    """Test files among these, those that import one of them, and those below a conftest of these."""
    inside = frozenset(there)
    seen = naming | closure(naming, lambda path: judges.base.importers.get(path, set()) & inside)
    above = [str(PurePosixPath(path).parent) for path in seen if PurePosixPath(path).name == "conftest.py"]
    for path in judges.tests:
        if path in seen or any(folder == "." or path.startswith(f"{folder}/") for folder in above):
            yield path
