"""What one example gives, before it is decided what is kept."""

import ast
from dataclasses import dataclass

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
class Draft:
    """The parts of a reproduction. beyond_doubt: the report leaves no doubt that what it shows is wrong."""

    form: Form
    code: str
    expectation: Expectation
    steps: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    beyond_doubt: bool = True


@dataclass(frozen=True, slots=True)
class DraftReading:
    """drafts: of one example. code: what later ones may build on. unread: what it shows and cannot be run, a phrase."""

    drafts: tuple[Draft, ...] = ()
    code: str = ""
    unread: str = ""


class Kept:
    """The drafts that are about the project, each once, up to `MOST`. over: whether there were more."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._drafts: list[Draft] = []
        self.foreign: set[str] = set()
        self.over = False

    def __len__(self) -> int:
        return len(self._drafts)

    def add(self, draft: Draft) -> bool:
        """Whether it is kept."""
        tree = python.tree_of(draft.code) if draft.form is not Form.COMMAND else None
        if tree and not self._is_about_it(draft.form, tree):
            self.foreign |= {name for name in python.imports(tree) if not python.is_standard(name)}
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
        sure = any(draft.beyond_doubt and draft.expectation != ANYTHING for draft in self._drafts)
        return tuple(
            Reproduction(
                f"reproduction_{number}",
                draft.form,
                draft.code,
                draft.expectation,
                f"the {_ORDINALS[number - 1]} example",
                draft.steps,
                draft.files,
            )
            for number, draft in enumerate(self._drafts, 1)
            if draft.beyond_doubt or not sure
        )

    def _is_about_it(self, form: Form, tree: ast.Module) -> bool:
        """Whether the project takes part in it: by an import of one of its packages, as far as these are known."""
        own = self._project.packages
        return not own or bool(python.imports(tree) & own) or (form is Form.TESTS and "pytest" in own)
