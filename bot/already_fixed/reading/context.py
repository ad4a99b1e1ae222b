"""What has to stand in front of an example, so that it can be run by itself."""

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.already_fixed.project import Project
from bot.already_fixed.reading import python
from bot.already_fixed.reading.drafts import Draft
from bot.already_fixed.values import Expectation, Form


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
        offered = (missing & project.names) - project.packages
        lines = python.import_lines(missing - offered, project.packages)
        known = {name for line in lines if (tree := python.tree_of(line)) for name in python.defined(tree)} | offered
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
        """Whether names were looked for in the project's modules: then not every failure is the one of the report."""
        return any(f"from {module} import " in line for line in context for module in self.project.modules)

    def _lacks(self, code: str) -> frozenset[str]:
        return python.lacks(code, self.project.offered)


@lru_cache(maxsize=256)
def _gives(code: str) -> frozenset[str]:
    tree = python.tree_of(code)
    return python.defined(tree) if tree else frozenset()


def at_prompt(context: Sequence[str], steps: Sequence[str], expectation: Expectation) -> Draft:
    """Statements as typed at a prompt, behind what they need, of which nothing is expected."""
    whole = (*context, *steps)
    right = "" if _is_drawn(expectation.right) else expectation.right
    others = right or any(text and not _is_drawn(text) for text in expectation.wrong)
    wrong = tuple("" if others and _is_drawn(text) else text for text in expectation.wrong)
    behind = (*("",) * len(context), *wrong) if any(wrong) else ()
    return Draft(Form.SESSION, "\n".join(whole), replace(expectation, wrong=behind, right=right), whole)


def _is_drawn(text: str) -> bool:
    """Whether a value is set with mathematical signs, as a terminal or a notebook shows it and Python does not."""
    return any(unicodedata.category(sign) in ("Sm", "So") for sign in text if not sign.isascii())
