"""Which files judge a change, and the program that they judge: the base's tree with the head's product code in it.

What is a test is said by what the base's run collected. What steers testing, and what lies beside the tests, is the
base's; what the head puts there is not, unless its product imports it. All else is product: it is the head's, and runs.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from bot.changes.kinds import is_code, is_data_of_tests, is_test_by_path, is_test_module, kind_of, steers_pytest
from bot.changes.readers import DOCUMENTATION, globs
from bot.changes.values import FileKind
from bot.verification.files.code_of_tests import defines_tests
from bot.verification.files.helpers import are_theirs, folders_of_tests, helpers, says_that_it_helps, words_of
from bot.verification.files.loads import READ, SCRIPTS, Loads, Shadows, closure, full_name, loaded, wanting
from bot.verification.files.rust_tests import only_tests, with_tests_of
from bot.verification.files.steering import (
    among_scripts,
    beside_scripts,
    builds,
    names_as_a_word,
    reached,
    scripts_of,
    steers,
)
from bot.verification.programs import changed_files, content
from bot.verification.testing.sources import file_of, is_doctest
from bot.verification.values import Program, TestRun

Changed = Mapping[str, tuple[bytes | None, bytes | None]]

_BY_PYTEST = globs("test_*.py", "*_test.py")  # where no configuration says otherwise
_INSIDE = b"import.meta.vitest"  # tests that stand in the code
OF_TOOLS = frozenset({FileKind.CI, FileKind.DEPENDENCIES, FileKind.LOCK})  # and never data


@dataclass(frozen=True)
class FileIndex:
    """base: what its files load. changed: path -> (base's, head's). program: the base's. command: that runs the tests,
    where it is not pytest. reached: what the command reaches. collected: the files whose tests the base's run found;
    empty before it ran. documents: those that it opened. told: those that a command's runner named. wanting: modules
    that the base's tests import and nobody has."""

    base: Loads
    changed: Changed
    program: Program
    command: tuple[str, ...] | None = None
    reached: frozenset[str] = frozenset()
    collected: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    wanting: frozenset[str] = frozenset()

    @classmethod
    def of(cls, base: Program, head: Program, command: tuple[str, ...] | None = None) -> "FileIndex":
        """Those of a change, by what the files say."""
        found = cls(Loads.of(base, others=bool(command)), changed_files(base, head), base, command)
        return replace(found, reached=reached(base, command, found.base.by)) if command else found

    def after(self, run: TestRun) -> "FileIndex":
        """The same, by what the base's run of its tests found."""
        if self.command:
            told = {file_of(each.name) for each in run.results} & self.base.files
            alone = (path for path in told if path.endswith(SCRIPTS) and _INSIDE not in self._text(path))
            return replace(self, told=frozenset(alone))
        names = (each.name for each in run.results if not is_doctest(each.name))  # of a document there are others
        found = frozenset(path for path in map(file_of, names) if path.endswith((".py", *DOCUMENTATION)))
        documents = frozenset(path for path in run.opened or () if kind_of(path) is FileKind.DOCUMENTATION)
        return replace(self, collected=found, documents=documents, wanting=wanting(run))

    @cached_property
    def judging(self) -> frozenset[str]:
        """The files of the base's that judge."""
        return frozenset(filter(self.judges, self.base.files))

    @cached_property
    def head(self) -> Loads:
        """What the head's files load."""
        return self.base.after(self._changes)

    @cached_property
    def scripts(self) -> frozenset[str]:
        """What the command reaches, except what the base's tests load or name, and for settings that its code names:
        that is what they test."""
        may = {path for path in self.reached if not (steers(path, self.command or ()) or among_scripts(path))}
        return self.reached - self._tested(may) if may else self.reached

    @cached_property
    def tests(self) -> frozenset[str]:
        """The base's test files: those that were collected, and those that were left out of the run but hold tests."""
        named = (path for path in self.base.names if is_test_module(path))
        return self.collected | frozenset(path for path in named if self._in_folder(path) or not self.collected)

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders of tests."""
        return folders_of_tests(self.collected or frozenset(filter(is_test_module, self.base.names)), self.base)

    @cached_property
    def _names(self) -> frozenset[str]:
        """How tests are called that ran and are not called by pytest's custom."""
        return frozenset(name for path in self.collected if not _BY_PYTEST(path) for name in _name_ends(path))

    def is_collected_by_name(self, path: str) -> bool:
        """Whether pytest would look into a file beside what is judged, by its own custom or as into others here."""
        named = _BY_PYTEST(path) or not self._names.isdisjoint(_name_ends(path))
        return path.endswith(".py") and path in self.beside and named

    def judges(self, path: str) -> bool:
        """Whether a file has a part in judging: of the base's, or one that the head puts beside what judges."""
        new = path not in self.base.files
        if steers_pytest(path) or self._of_command(path) or path in self.collected or (new and self._displaces(path)):
            return True
        if self._is_among_tests(path) or (new and self._is_new_test(path)):
            return path not in (self._code_of_head if new else self._code) and (new or not self._is_read_by_code(path))
        theirs = self._may_be_data(path) and self._is_theirs(path, self._words_of_head if new else self._words)
        return theirs or path in self._helpers

    @cached_property
    def judged(self) -> Program:
        """The program that the base's tests judge."""
        ours = {path: after for path, (_, after) in self.touched.items()}
        for path in self.inline:
            before, after = self.changed[path]
            if before is not None and after is not None:
                ours[path] = with_tests_of(before, after)
        return Program(self.program.tree, {**self.program.files, **ours})

    @cached_property
    def inline(self) -> frozenset[str]:
        """The changed files of the product in which the change touches tests, where a command runs them: Rust's."""
        rust = (path for path in self.changed if self.command and path.endswith(".rs") and path not in self.beside)
        told = ((path, [only_tests(text or b"") for text in self.changed[path]]) for path in rust)
        return frozenset(path for path, (before, after) in told if before != after)

    @cached_property
    def beside(self) -> frozenset[str]:
        """The changed files that are no part of what is judged: tests, and what steers or serves them."""
        return frozenset(filter(self.judges, self.changed))

    @cached_property
    def touched(self) -> Changed:
        """The changed files of the product."""
        return {path: both for path, both in self.changed.items() if path not in self.beside}

    @cached_property
    def of_both(self) -> frozenset[str]:
        """The changed files of the product that tests load and that lie among them, or say that they help: the head's
        version judges, since users have it, and so must the base's."""
        both = (path for path, (old, new) in self.touched.items() if None not in (old, new) and is_code(path))
        may = {
            each
            for each in both
            if self._is_among_tests(each) or says_that_it_helps(each, self.base.names.get(each, ()))
        }
        return frozenset(may & {each for path in self.judging for each in self.base.by(path)} if may else may)

    @cached_property
    def helpers_touched(self) -> frozenset[str]:
        """The changed files that only tests load though they lie among the product: users may have them."""
        return frozenset(path for path in self._helpers if None not in self.changed.get(path, (None,)))

    @cached_property
    def product_files(self) -> frozenset[str]:
        """The base's own Python code."""
        return frozenset(self.base.names.keys() - self.judging)

    def tests_by_custom(self, path: str) -> bool:
        """Whether a file is a test by its language's custom, or by what ran or stands in it."""
        custom = is_test_by_path(path) or (is_data_of_tests(path) and not path.endswith(READ))
        return custom or path in self.told or path in self._by_content

    def _is_among_tests(self, path: str) -> bool:
        return path in self.tests or self._in_folder(path) or self._sounds(path)

    def _displaces(self, path: str) -> bool:
        """Whether a new file would be found in the place of what judges, or of what that loads."""
        inside = beside_scripts(path, self.scripts) or (self._sounds(path) and self._shadows.displaces(path))
        return inside or self._shadows.hides(path)

    def _is_new_test(self, path: str) -> bool:
        """Whether it defines tests, and is called as those are that ran, or as Python's are."""
        named = is_test_module(path) or (path.endswith(".py") and not self._names.isdisjoint(_name_ends(path)))
        return named and defines_tests(path, self._changes.get(path) or b"")

    def _code_of(self, loads: Loads) -> frozenset[str]:
        """What lies among the tests, or sounds like them, and is loaded by the code outside: product, wherever it lies.
        Python's only by its full name, since a short one may be anybody's."""
        files = {*loads.names, *loads.others}
        among = set(filter(self._is_among_tests, files))
        named = {full_name(path): path for path in among & loads.names.keys() if not steers_pytest(path)}
        beside = (is_test_module, steers_pytest, self._of_command)
        code = (path for path in files - among if not any(each(path) for each in beside))

        def leads(path: str) -> Collection[str]:
            names = loads.names.get(path)
            return loads.by(path) if names is None else {named[name] for name in names & named.keys()}

        return closure(code, leads)

    @cached_property
    def _folders_among_code(self) -> frozenset[str]:
        """Those in which tests lie among code; where a command runs the tests, custom tells what lies beside them."""
        tests = () if self.command else (path for path in self.tests - self.documents if not self._in_folder(path))
        return frozenset(str(PurePosixPath(path).parent) for path in tests)

    @cached_property
    def _folders_of_code(self) -> frozenset[str]:
        return frozenset(str(above) for path in self.base.names for above in PurePosixPath(path).parents)

    def _may_be_data(self, path: str) -> bool:
        """Whether it is no code and lies in a folder of tests among code, or below one in a folder without any code; or
        a document that the base's run opened."""
        if path in self.documents:
            return True
        if path.endswith(".py") or kind_of(path) in OF_TOOLS:
            return False
        tests, code = self._folders_among_code, self._folders_of_code
        near = (folder for folder in map(str, PurePosixPath(path).parents) if folder in tests or folder in code)
        return next(near, "") in tests

    def _is_theirs(self, path: str, words: tuple[frozenset[bytes], frozenset[bytes]]) -> bool:
        return are_theirs(path, *words, self._folders_among_code)

    def _is_read_by_code(self, path: str) -> bool:
        """Whether it is no code, lies where a command's tests have their data, and is what its code names and no test
        does."""
        if self.command is None or is_code(path):
            return False
        name, (tests, product) = PurePosixPath(path).name.encode(), self._words
        return name in product and name not in tests

    @cached_property
    def _helpers(self) -> frozenset[str]:
        scripts = (path for path in self.base.others if not (path.endswith(".rs") or self._of_command(path)))
        files = frozenset({*self.base.names, *scripts})
        among = frozenset(path for path in files if self._is_among_tests(path) and path not in self._code)
        found = helpers(files, among, self.base, self.head, self.changed, self._text)
        # A package of Go is a helper as a whole: its files do not load each other.
        go = {path: str(PurePosixPath(path).parent) for path in files - among if path.endswith(".go")}
        mixed = {folder for path, folder in go.items() if path not in found}
        return frozenset(path for path in found if go.get(path) not in mixed)

    @cached_property
    def _words(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """What the base's tests name, and what its product does."""
        all_ = (path for path in self.base.files if is_code(path) and not self._of_command(path))
        code = frozenset(all_ if self.command else self.base.names)
        judging = frozenset(filter(self.judges, code))
        names = (PurePosixPath(path).stem.encode() for path in self.tests if not self._in_folder(path))
        return words_of(judging, self._text).union(names), words_of(code - judging, self._text)

    @cached_property
    def _words_of_head(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The same, with what the head's product names besides."""
        tests, product = self._words
        changed = (path for path in self.changed if path in self.head.names and not self.judges(path))
        return tests, product | words_of(changed, self._changes.get)

    def _of_command(self, path: str) -> bool:
        """Whether a file says what the suite's command does."""
        if self.command is None:
            return False
        return path in self.scripts or steers(path, self.command) or builds(path, self.command)

    def _sounds(self, path: str) -> bool:
        """Whether a file is called as a command's tests are, or is one by what ran or stands in it."""
        return self.command is not None and self.tests_by_custom(path)

    @cached_property
    def _by_content(self) -> frozenset[str]:
        """The base's Python files that define tests and that nothing imports, where a command runs the tests."""
        alone = ((path, self._text(path)) for path in self.base.names if path not in self.base.importers)
        return frozenset(path for path, text in alone if b"test" in text.lower() and defines_tests(path, text))

    @cached_property
    def _code(self) -> frozenset[str]:
        return self._code_of(self.base)

    @cached_property
    def _code_of_head(self) -> frozenset[str]:
        return self._code_of(self.head)

    @cached_property
    def _changes(self) -> Mapping[str, bytes | None]:
        return {path: after for path, (_, after) in self.changed.items()}

    def _tested(self, paths: Collection[str]) -> frozenset[str]:
        """Those that the base's tests load, or name as they start it, and data that its code reads. Where no custom
        knows a test, the scripts that the command names are the tests, of what lies in folders."""
        tests = list(filter(self.tests_by_custom, self.base.files))
        if not tests:
            tests = sorted(self.base.files & scripts_of(self.command or ()))
            paths = [path for path in paths if "/" in path]
        data = [path for path in paths if not is_code(path) and PurePosixPath(path).suffix]
        code = filter(is_code, self.base.files - self.reached) if data else ()
        named = names_as_a_word(map(self._text, tests), words_of(code, self._text))
        loaded = closure(tests, self.base.by)
        return frozenset(path for path in paths if path in loaded or named(path))

    def _text(self, path: str) -> bytes:
        return content(self.program, path) or b""

    def _in_folder(self, path: str) -> bool:
        return any(path.startswith(f"{folder}/") for folder in self.folders)

    @cached_property
    def _shadows(self) -> Shadows:
        steering = (path for path in self.base.names if steers_pytest(path))
        scripts = (path for path in self.base.others if path.endswith(SCRIPTS) and self.judges(path))
        loads = (loaded(path, self._text(path), self.head.files) for path in scripts)
        tests, wanted = self.tests.union(steering), frozenset[str]().union(*loads)
        return Shadows(self.base, self.head, tests, wanted, self.wanting)


def _name_ends(path: str) -> tuple[str, ...]:
    """How its name begins and how it ends, or the whole."""
    stem = PurePosixPath(path).stem
    return (f"{stem.partition('_')[0]}_", f"_{stem.rpartition('_')[2]}") if "_" in stem else (stem,)
