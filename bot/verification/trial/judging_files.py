"""Which files judge a change, and the program that they judge: the base's tree with the head's product code in it.

What is a test is said by what the base's run collected. What steers testing, and what lies beside the tests, is the
base's; what the head puts there is not, unless its product imports it. All else is product: it is the head's, and runs.
"""

import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import PurePosixPath

from bot.changes.kinds import is_code, is_data_of_tests, is_test, kind_of
from bot.changes.readers import DOCUMENTATION
from bot.changes.risks.shadows import import_name
from bot.changes.values import FileKind
from bot.verification.loading import READ, SCRIPTS, Imports, Loads, closure, full_name, loaded
from bot.verification.programs import changed_files, content, source_files
from bot.verification.steering import (
    among_scripts,
    beside_scripts,
    builds,
    named_as_product,
    reached,
    steers,
    with_steering_of,
)
from bot.verification.testing.sources import defines_tests, is_test_file, steers_the_runner
from bot.verification.trial.code_of_tests import only_tests, with_tests_of
from bot.verification.trial.files_of_tests import (
    BY_ENDING,
    checks,
    folders_of_tests,
    meant,
    of_tests_alone,
    says_that_it_helps,
    words_of,
)
from bot.verification.values import Program, TestRun

Changed = Mapping[str, tuple[bytes | None, bytes | None]]

_RUNNER = frozenset(
    {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "tomli", "py", "pygments"}
)
_NO_MODULE = re.compile(r"^E? {0,7}ModuleNotFoundError: No module named '([\w.]{1,100})'", re.M)
_INSIDE = b"import.meta.vitest"  # tests that stand in the code
OF_TOOLS = frozenset({FileKind.CI, FileKind.DEPENDENCIES, FileKind.LOCK})  # and never data
_WORDS = re.compile(rb"[\w.-]+(?:/[\w.-]+)*")


@dataclass(frozen=True)
class JudgingFiles:
    """base: its imports. changed: path -> (base's, head's). program: the base's. loads: what its scripts load, of
    JavaScript. command: that runs the tests, where it is not pytest. reached: what the command reaches. collected: the
    files whose tests the base's run found; empty before it ran. documents: those that it opened. told: those that a
    command's runner named. wanting: modules that the base's tests import and nobody has."""

    base: Imports
    changed: Changed
    program: Program
    loads: Loads
    command: tuple[str, ...] | None = None
    reached: frozenset[str] = frozenset()
    collected: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    wanting: frozenset[str] = frozenset()

    @classmethod
    def of(cls, base: Program, head: Program, command: tuple[str, ...] | None = None) -> "JudgingFiles":
        """Those of a change, by what the files say."""
        loads = Loads.of(base) if command else Loads({}, frozenset())
        found = cls(Imports.of(base), changed_files(base, head), base, loads, command)
        return replace(found, reached=reached(base, command, found._loaded_by)) if command else found

    def after(self, run: TestRun) -> "JudgingFiles":
        """The same, by what the base's run of its tests found."""
        if self.command:
            return replace(
                self, told=frozenset(filter(self._tells_tests, {file_of(each.name) for each in run.results}))
            )
        documents = frozenset(path for path in run.opened or () if kind_of(path) is FileKind.DOCUMENTATION)
        return replace(self, collected=collected(run), documents=documents, wanting=wanting(run))

    @cached_property
    def judging(self) -> frozenset[str]:
        """The files of the base's that judge."""
        return frozenset(filter(self.judges, {*source_files(self.program.tree), *self.program.files}))

    @cached_property
    def head(self) -> Imports:
        """The head's imports."""
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
        named = (path for path in self.base.names if is_test_file(path))
        return self.collected | frozenset(path for path in named if self._in_folder(path) or not self.collected)

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders of tests."""
        return folders_of_tests(self.collected or frozenset(filter(is_test_file, self.base.names)), self.base)

    @cached_property
    def _names(self) -> frozenset[str]:
        """How tests are called that ran and are not called by pytest's custom."""
        return frozenset(name for path in self.collected if not is_test_file(path) for name in _name_ends(path))

    def judges(self, path: str) -> bool:
        """Whether a file of the base's has a part in judging."""
        if steers_the_runner(path) or self._of_command(path) or path in self.collected:
            return True
        if self._is_among_tests(path):
            return path not in self._code and not self._is_read_by_code(path)
        return path in self._helpers or (self._may_be_data(path) and self._is_theirs(path, self._words))

    def admits(self, path: str, source: bytes) -> bool:
        """Whether a file that the head adds belongs to what is judged."""
        if steers_the_runner(path) or self._of_command(path) or self._shadows(path):
            return False
        if beside_scripts(path, self.scripts) or (self._sounds(path) and self._wanted_by_tests(path)):
            return False
        if self._may_be_data(path):
            return not self._is_theirs(path, self._words_of_head)
        named = is_test_file(path) or (path.endswith(".py") and not self._names.isdisjoint(_name_ends(path)))
        beside = self._is_among_tests(path) or (named and defines_tests(source))
        return not beside or path in self._code_of_head

    @cached_property
    def judged(self) -> Program:
        """The program that the base's tests judge."""
        ours = {path: after for path, (before, after) in self.changed.items() if self._is_product(path, before, after)}
        for path in self.beside if self.command else ():
            before, after = self.changed[path]
            if path.endswith("package.json") and before and after and not self._leads_to_tests(path, before):
                ours[path] = with_steering_of(before, after)
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
        return frozenset(path for path, (old, new) in self.changed.items() if not self._is_product(path, old, new))

    @cached_property
    def touched(self) -> Changed:
        """The changed files of the product."""
        return {path: both for path, both in self.changed.items() if path not in self.beside}

    @cached_property
    def product_files(self) -> frozenset[str]:
        """The base's own Python code."""
        return frozenset(path for path in self.base.names if not self.judges(path))

    def tests_by_custom(self, path: str) -> bool:
        """Whether a file is a test by its language's custom, or by what ran or stands in it."""
        custom = is_test(path) or (is_data_of_tests(path) and not path.endswith(READ))
        return custom or path in self.told or path in self._by_content

    def tells(self, path: str) -> bool:
        """Whether a file is a test by its language's custom, or says what the command does."""
        return self.tests_by_custom(path) or self._of_command(path)

    def is_beside(self, path: str) -> bool:
        """Whether a file of either side is no part of what is judged."""
        return path in self.beside if path in self.changed else self.judges(path)

    def _is_product(self, path: str, before: bytes | None, after: bytes | None) -> bool:
        if before is not None:
            return not self.judges(path)
        return after is not None and self.admits(path, after)

    def _is_among_tests(self, path: str) -> bool:
        return path in self.tests or self._in_folder(path) or self._sounds(path)

    def _product_of(self, imports: Imports) -> frozenset[str]:
        """What lies among the tests and is reached from the code outside; only by its full name, since a short one
        may be anybody's."""
        among = set(filter(self._is_among_tests, imports.names))
        named = {full_name(path): path for path in among if not steers_the_runner(path)}
        beside = (is_test_file, steers_the_runner, self._of_command)
        code = (path for path in imports.names if path not in among and not any(each(path) for each in beside))
        return closure(code, lambda path: (named[name] for name in imports.names[path] if name in named))

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
        """Whether the tests name it, rather than the product: by the words that either quotes."""
        theirs, others = (meant(path, each, self._folders_among_code) for each in words)
        return theirs > others or theirs == others == BY_ENDING

    def _is_read_by_code(self, path: str) -> bool:
        """Whether it is no code, lies where a command's tests have their data, and is what its code names and no test
        does."""
        if self.command is None or is_code(path):
            return False
        name, (tests, product) = PurePosixPath(path).name.encode(), self._words
        return name in product and name not in tests

    @cached_property
    def _helpers(self) -> frozenset[str]:
        """Of the base's, what only tests reach, and says so. What loads nothing of the program and nothing calls a
        helper is one where it looks like an instrument, beside product that the change touches. What a manifest names
        is started by it, and product."""
        told = b"\n".join(map(self._text, ("pyproject.toml", "setup.cfg", "setup.py", "package.json")))

        def untold(path: str) -> bool:
            return (full_name(path) if path.endswith(".py") else path.rpartition(".")[0]).encode() not in told

        scripts = (path for path in self.loads.by if path.endswith(SCRIPTS) and not self._of_command(path))
        all_ = {*self.base.names, *scripts}
        among = {path for path in all_ if self._is_among_tests(path) and path not in self._code}
        judging = among | set(filter(steers_the_runner, all_))
        others = all_ - judging
        alone = partial(of_tests_alone, judging=judging, others=others, loads=self._loaded_by)
        found = alone(path for path in others if says_that_it_helps(path, self.base.names.get(path, ())))
        found = frozenset(filter(untold, found))
        changed = self.changed.keys() & others - found
        apart = alone(path for path in others if not self._loaded_by(path)) & changed
        apart = frozenset(path for path in apart if untold(path) and self._is_instrument(path))
        return found | apart if changed - apart else found

    def _is_instrument(self, path: str) -> bool:
        """Whether what tests alone load asserts, is loaded by what steers them, or reaches the program only now."""
        steering = (each for each in self.base.names if steers_the_runner(each))
        by_steering = any(path in self.base.imported_by(each) for each in steering)
        return by_steering or checks(self._text(path)) or bool(self.head.imported_by(path))

    def _loaded_by(self, path: str) -> Collection[str]:
        return self.base.imported_by(path) if path.endswith(".py") else self.loads.by.get(path, ())

    @cached_property
    def _words(self) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """What the base's tests name, and what its product does."""
        code = frozenset(path for path in self.loads.files if is_code(path) and not self._of_command(path))
        code = code if self.command else frozenset(self.base.names)
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

    def _tells_tests(self, path: str) -> bool:
        """Whether a file of the base's that a command's runner names is one of tests alone."""
        return path.endswith(SCRIPTS) and path in self.loads.files and _INSIDE not in self._text(path)

    @cached_property
    def _by_content(self) -> frozenset[str]:
        """The base's Python files that define tests and that nothing imports, where a command runs the tests."""
        alone = ((path, self._text(path)) for path in self.base.names if path not in self.base.importers)
        return frozenset(path for path, text in alone if b"test" in text.lower() and defines_tests(text))

    @cached_property
    def _code(self) -> frozenset[str]:
        """Of what lies among the tests, or sounds like them, what the base's code loads: product, wherever it lies."""
        return self._product_of(self.base) | self._loaded_by_code(self.loads)

    @cached_property
    def _code_of_head(self) -> frozenset[str]:
        return self._product_of(self.head) | self._loaded_by_code(self._loads_of_head)

    @cached_property
    def _loads_of_head(self) -> Loads:
        return self.loads.after(self._changes)

    def _wanted_by_tests(self, path: str) -> bool:
        """Whether the base's tests would find a new file in the place of one of theirs."""
        pure = PurePosixPath(path)
        module = f"{pure.parent}.py" if pure.name == "__init__.py" else f"{pure.with_suffix('')}/__init__.py"
        return path in self._loaded_by_tests or (path.endswith(".py") and module in self.base.names)

    @cached_property
    def _loaded_by_tests(self) -> frozenset[str]:
        """What the base's tests load among the files of the head."""
        files = self._loads_of_head.files
        tests = (path for path in self.loads.by if path.endswith(SCRIPTS) and self.judges(path))
        return frozenset[str]().union(*(loaded(path, self._text(path), files) for path in tests))

    def _loaded_by_code(self, loads: Loads) -> frozenset[str]:
        code = (path for path in loads.by if not (self._sounds(path) or self._of_command(path)))
        return closure(code, lambda path: loads.by.get(path, ()))

    @cached_property
    def _changes(self) -> Mapping[str, bytes | None]:
        return {path: after for path, (_, after) in self.changed.items()}

    def _tested(self, paths: Collection[str]) -> frozenset[str]:
        """Those that the base's tests load, or name as they start it, and data that its code reads."""
        tests = [path for path in self.loads.files if self.tests_by_custom(path)]
        names = {_bare(word) for path in tests for word in _WORDS.findall(self._text(path))}
        data = [path for path in paths if not is_code(path) and PurePosixPath(path).suffix]
        if data:
            names |= set(map(_bare, words_of(filter(is_code, self.loads.files - self.reached), self._text)))
        loaded = closure(tests, self._loaded_by)
        return frozenset(path for path in paths if path in loaded or path in names or _file_name(path) in names)

    def _leads_to_tests(self, path: str, package: bytes) -> bool:
        """Whether a `package.json` has names for files, some of which are tests or serve them: `./test/a.js`, or by a
        pattern `./test/*`. Another file could be put in their place."""
        folder = f"{PurePosixPath(path).parent}/".removeprefix("./")
        named = [folder + text.removeprefix("./") for text in named_as_product(package)]
        begin = tuple(text.partition("*")[0] for text in named if "*" in text or text.endswith("/"))
        return any(self._sounds(each) for each in self.loads.files if each in named or each.startswith(begin))

    def _text(self, path: str) -> bytes:
        return content(self.program, path) or b""

    def _in_folder(self, path: str) -> bool:
        return any(path.startswith(f"{folder}/") for folder in self.folders)

    def _shadows(self, path: str) -> bool:
        """Whether a new file would be found in the place of a module that tests, pytest or Python itself import, or
        of one of the product's own that lies at the root or in `src` still."""
        folder, name = import_name(path)
        if not name:
            return False
        others = self._names_of_head[not path.startswith("src/")]
        if "src/__init__.py" not in self.base.names and full_name(f"{folder}/{name}".lstrip("/")) in others:
            return True
        known = name in sys.stdlib_module_names or name in _RUNNER or name in self._foreign
        return known and (folder or ".") in self._roots

    @cached_property
    def _names_of_head(self) -> tuple[frozenset[str], frozenset[str]]:
        """The full names of the head's modules: of those outside `src`, and of those in it."""
        inside = frozenset(path for path in self.head.names if path.startswith("src/"))
        return frozenset(map(full_name, self.head.names.keys() - inside)), frozenset(map(full_name, inside))

    @cached_property
    def _foreign(self) -> frozenset[str]:
        steering = (path for path in self.base.names if steers_the_runner(path))
        return self.base.foreign({*self.tests, *steering}) - self.wanting

    @cached_property
    def _roots(self) -> frozenset[str]:
        """Folders that may stand on `sys.path`: the root, `src`, and those into which pytest looks for a test."""
        packages = {str(PurePosixPath(path).parent) for path in self.base.names if path.endswith("__init__.py")}
        roots = {".", "src"}
        for path in {*self.tests, *(each for each in self.base.names if each.endswith("conftest.py"))}:
            folder = PurePosixPath(path).parent
            while str(folder) in packages:
                folder = folder.parent
            roots.add(str(folder))
        return frozenset(roots)


def collected(run: TestRun) -> frozenset[str]:
    """The files of the tests that a run found. An example in a docstring makes no test of the code around it; one in a
    document does."""
    names = (result.name for result in run.results if not is_doctest(result.name))
    return frozenset(file_of(name) for name in names if file_of(name).endswith((".py", *DOCUMENTATION)))


def wanting(run: TestRun) -> frozenset[str]:
    """The modules for want of which tests fail: tests may be written before what they test."""
    said = (name for result in run.failing for name in _NO_MODULE.findall(result.message))
    return frozenset(name.partition(".")[0] for name in said)


def is_doctest(name: str) -> bool:
    """Whether it is an example in a docstring, which pytest calls by the module's and the function's dotted name."""
    file, _, inner = name.partition("::")
    return file.endswith(".py") and "::" not in inner and "." in inner.partition("[")[0]


def file_of(name: str) -> str:
    """The file of a test, from its node id."""
    return name.partition("::")[0]


def _name_ends(path: str) -> tuple[str, ...]:
    """How its name begins and how it ends, or the whole."""
    stem = PurePosixPath(path).stem
    return (f"{stem.partition('_')[0]}_", f"_{stem.rpartition('_')[2]}") if "_" in stem else (stem,)


def _bare(word: bytes) -> str:
    return word.decode(errors="replace").lstrip("./")


def _file_name(path: str) -> str:
    """Its name where that has an ending; empty otherwise, since a bare word may mean anything."""
    pure = PurePosixPath(path)
    return pure.name if pure.suffix else ""
