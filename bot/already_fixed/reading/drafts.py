"""What one example gives, before it is decided what is kept; and what has to stand in front of it, so that it can be
run by itself."""

import ast
import sys
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from bot.already_fixed.project import Project
from bot.already_fixed.reading import python
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction

MOST = 8  # reproductions of one report
ANYTHING = Expectation(Failure.RAISES)
ASSERTED = Expectation(Failure.RAISES, "AssertionError")
AROUND = "an example that is shown as a workaround"
EXPECTED = "an example of what should come"
BEYOND = "what it shows after the part that is read"
RIGHT = "an example that is said to be right"
UNDEFINED = "an example that uses what it does not define"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@dataclass(frozen=True, slots=True)
class DraftReading:
    """drafts: of one example, without names. code: what later ones may build on. unread: what it shows and cannot be
    run, a phrase."""

    drafts: tuple[Reproduction, ...] = ()
    code: str = ""
    unread: str = ""


@dataclass(slots=True)
class Kept:
    """The drafts that are about the project, each once, up to `MOST`. foreign: packages of others. over: whether there
    were more."""

    _project: Project
    _drafts: list[Reproduction] = field(default_factory=list)
    foreign: set[str] = field(default_factory=set)
    over: bool = False

    def __len__(self) -> int:
        return len(self._drafts)

    @property
    def code(self) -> str:
        return "\n".join(draft.code for draft in self._drafts)

    def add(self, draft: Reproduction) -> bool:
        """Whether it is kept."""
        tree = python.tree_of(draft.code) if draft.form not in (Form.COMMAND, Form.PROGRAM) else None
        if tree and not self._is_about_it(draft.form, tree):
            self.foreign |= python.imports(tree) - sys.stdlib_module_names
            return False
        if any(draft.code == kept.code for kept in self._drafts):
            return False
        if len(self._drafts) == MOST:
            self.over = True
            return False
        self._drafts.append(draft)
        return True

    def reproductions(self) -> tuple[Reproduction, ...]:
        """Without outputs that nothing is said of, where the report shows something that is wrong beyond doubt."""
        sure = any(not draft.leaves_open and draft.expectation != ANYTHING for draft in self._drafts)
        return tuple(
            replace(draft, name=f"reproduction_{number}", where=f"the {_ORDINALS[number - 1]} example")
            for number, draft in enumerate(self._drafts, 1)
            if not (draft.leaves_open and sure)
        )

    def _is_about_it(self, form: Form, tree: ast.Module) -> bool:
        """Whether the project takes part in it: by an import of one of its packages, as far as these are known."""
        own = self._project.packages
        return not own or bool(python.imports(tree) & own) or (form is Form.TESTS and "pytest" in own)


@dataclass(frozen=True, slots=True)
class ExampleContext:
    """before: the code of examples that were read before, oldest first."""

    project: Project
    before: Sequence[str] = ()

    def of(self, code: str, *, going_on: bool = False) -> tuple[str, ...] | None:
        """Earlier examples, and imports, that define what the code lacks; `None` where something stays undefined.

        going_on: at the same prompt as before, where what was done earlier counts as well.
        """
        project = self.project
        chosen: list[str] = []
        missing = set(self._lacks(code))
        for earlier in reversed(self.before):
            if not missing:
                break
            gives = _gives(earlier)
            if missing & gives:
                imports = "" if going_on else python.imports_of(earlier, missing & gives)
                needed = imports or earlier
                chosen.insert(0, needed)
                missing = (missing - gives) | (self._lacks(needed) - gives)
        # A module and what it defines may have one name: what is called is no module.
        offered = (missing & project.names) - (project.packages - python.names_of_calls(code))
        lines = python.import_lines(missing - offered, project.packages)
        known = {name for line in lines for name in python.defined(line)} | offered
        if f"import {project.package}" in lines:  # more was imported where the example comes from
            read = python.read_of("\n".join((*chosen, code))) & project.modules.keys()
            deepest = (module for module in sorted(read) if not any(other.startswith(f"{module}.") for other in read))
            lines += tuple(f"import {module}" for module in deepest)
        if offered:
            lines = (f"from {project.package} import *", *lines)
        left = missing - known
        brought = project.bringing(left) if left else ()
        return None if left and not brought else (*lines, *brought, *chosen)

    def is_guessed(self, context: Collection[str]) -> bool:
        """Whether names were looked for below the package: then not every failure is the one of the report."""
        below = [f"from {module} import " for module in self.project.modules if "." in module]
        return any(begin in line for line in context for begin in below)

    def _lacks(self, code: str) -> frozenset[str]:
        return python.lacks(code, self.project.offered)


_gives = lru_cache(maxsize=256)(python.defined)


def at_prompt(context: Sequence[str], steps: Sequence[str], expectation: Expectation) -> Reproduction:
    """Statements as typed at a prompt, behind what they need, of which nothing is expected."""
    whole = (*context, *steps)
    right = "" if _is_drawn(expectation.right) else expectation.right
    others = right or any(text and not _is_drawn(text) for text in expectation.wrong)
    wrong = tuple("" if others and _is_drawn(text) else text for text in expectation.wrong)
    behind = (*("",) * len(context), *wrong) if any(wrong) else ()
    expected = replace(expectation, wrong=behind, right=right)
    return Reproduction("", Form.SESSION, "\n".join(whole), expected, "", whole)


def _is_drawn(text: str) -> bool:
    """Whether a value is set with mathematical signs, as a terminal or a notebook shows it and Python does not."""
    return any(unicodedata.category(sign) in ("Sm", "So") for sign in text if not sign.isascii())
