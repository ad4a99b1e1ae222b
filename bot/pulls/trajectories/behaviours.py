"""The ten behavioural categories of FixedBench, appendix D, as far as tool calls and outputs alone show them.

The paper asks a model for all of them. Here each has a rule instead, and where no rule can tell, `seen` is `None`: a
category that asks what an edit means, or what the agent understood, is never guessed.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from posixpath import basename

from bot.changes.kinds import is_test, kind_of
from bot.changes.values import FileKind
from bot.pulls.trajectories.purpose import Git, git_of
from bot.pulls.trajectories.smells import same_file
from bot.pulls.trajectories.values import Behaviour, BehaviourKind, SessionStep, StepKind, Trajectory

_HISTORY = frozenset({"log", "blame", "annotate", "reflog", "whatchanged", "shortlog", "bisect", "rev-list", "show"})
_PAST = re.compile(
    r".{0,200}(?:[~^]\d*|@\{.{1,40}\})(?::.*)?|[0-9a-f]{7,40}(?::.*)?|v?\d{1,4}(?:\.\w{1,10}){1,5}(?::.*)?"
)
_ELSEWHERE = ("/tmp/", "/var/tmp/", "/private/tmp/")  # noqa: S108 - paths in a record, nothing is written there
_NEW_TEST = re.compile(
    r"^[ \t]*+(?:(?:async )?def test|(?:it|test|specify|scenario)(?:\.\w{1,20})?[ \t]?[(\"']|func Test|>>> "
    r"|(?:public )?function test|#\[(?:\w{1,20}::)?test\b|@(?:Parameterized|Repeated)?Test\b|TEST(?:_F|_P)?\("
    r"|\[(?:Fact|Theory|Test|TestMethod)\b)",
    re.MULTILINE,
)
_MOST_WRITTEN = 500  # files of its own that are remembered


def behaviours(trajectory: Trajectory) -> tuple[Behaviour, ...]:
    """All ten, in the paper's order. What a record that was not read whole does not show, it may still hold: then
    nothing is denied."""
    seen = _Walk(trajectory.steps).finished()
    found = (
        _history(trajectory.steps),
        Behaviour(
            BehaviourKind.REALIZES_BUG_ALREADY_FIXED,
            None,
            "What an agent acknowledges stands in its words, not in its calls.",
        ),
        _historic(trajectory.steps),
        *_reproduced(seen),
        _meaning(
            BehaviourKind.ADD_DEFENSE_IN_DEPTH, seen, "Whether a change is a fallback takes an understanding of it."
        ),
        _test_added(trajectory.steps, seen),
        _meaning(
            BehaviourKind.UNRELATED_FIX, seen, "Whether a change is about the problem takes an understanding of both."
        ),
        _meaning(
            BehaviourKind.NO_OP_EDIT, seen, "Whether a change does anything is told from the diff, not from here."
        ),
        _backtracked(seen),
    )
    if trajectory.problem or not trajectory.steps:
        unread = "Not all of the record was read."
        return tuple(replace(one, seen=None, why=unread) if one.seen is False else one for one in found)
    return found


@dataclass(slots=True)
class _Walk:
    """One pass over the steps: which edits of the main code stand at each moment, and what was run then.

    Main code is what is neither test nor documentation, and no support: a file the agent created itself and then ran,
    deleted, or put into a temporary directory.
    """

    steps: tuple[SessionStep, ...]
    standing: dict[str, int] = field(default_factory=dict)  # edited files of the main code, and the first edit of each
    stashed: dict[str, int] = field(default_factory=dict)
    edited: list[int] = field(default_factory=list)
    unclear: bool = False  # something changed files, and one cannot tell which
    taken_back: int | None = None
    before: int | None = None  # the first run of code of its own while no edit of the main code stood
    before_maybe: bool = False
    after: int | None = None
    after_maybe: bool = False

    def finished(self) -> "_Walk":
        support = _support(self.steps)
        own: list[str] = []
        for number, step in enumerate(self.steps):
            if step.kind is StepKind.EDIT and step.failed is not True:
                if step.path and len(own) < _MOST_WRITTEN:
                    own.append(step.path)
                self._edit(number, step, support)
            elif step.kind in (StepKind.RUN, StepKind.TEST):
                self._run(number, _runs_own(step, own))
        if self.stashed and self.taken_back is None:
            self.taken_back = min(self.stashed.values())
        return self

    def _edit(self, number: int, step: SessionStep, support: Callable[[str], bool]) -> None:
        git = git_of(tuple(step.command.split()))
        if git is not None and git.verb == "stash":
            if git.rest[:1] in (("pop",), ("apply",)):
                self.standing |= self.stashed
                self.stashed = {}
            else:
                self.stashed, self.standing = dict(self.standing), {}
        elif _takes_back(git, step) or self._mirrors(step):
            gone = [path for path in self.standing if not step.path or same_file(path, step.path)]
            for path in gone:
                del self.standing[path]
            if gone and self.taken_back is None:
                self.taken_back = number
        elif not step.path:
            self.unclear = True
        elif not support(step.path):
            self.standing.setdefault(step.path, number)
            self.edited.append(number)

    def _mirrors(self, step: SessionStep) -> bool:
        """Whether an edit is the reverse of the last one of the same file."""
        last = next((self.steps[n] for n in reversed(self.edited) if self.steps[n].path == step.path), None)
        if last is None or not step.removed or step.removed == step.added:
            return False
        return (step.removed, step.added) == (last.added, last.removed)

    def _run(self, number: int, own: bool) -> None:
        if self.standing:
            self.after_maybe = True
            self.after = number if own and self.after is None else self.after
        elif self.unclear:
            self.before_maybe = self.after_maybe = True
        else:
            self.before_maybe = True
            self.before = number if own and self.before is None else self.before


def _support(steps: tuple[SessionStep, ...]) -> Callable[[str], bool]:
    touched: set[str] = set()
    created: set[str] = set()
    used: set[str] = set()
    for step in steps:
        if step.kind is StepKind.EDIT and step.whole and step.path not in touched:
            created.add(step.path)
        if step.kind is StepKind.RUN or step.command.startswith("rm "):
            used.add(step.path)
        if step.kind is not StepKind.RUN:
            touched.add(step.path)
    own = tuple(path for path in created if any(same_file(path, one) for one in used))[:_MOST_WRITTEN]

    def support(path: str) -> bool:
        paper = is_test(path) or kind_of(path) is FileKind.DOCUMENTATION
        return paper or path.startswith(_ELSEWHERE) or any(same_file(path, one) for one in own)

    return support


def _runs_own(step: SessionStep, own: list[str]) -> bool:
    """Whether a command runs code that the agent wrote to see what happens: given with it, or in a file of its own."""
    if step.inline:
        return True
    if step.kind is StepKind.RUN:
        return bool(step.path) and any(same_file(step.path, path) for path in own)
    words = {basename(word.partition("::")[0]) for word in step.command.split()}
    return any(basename(path) in words for path in own if is_test(path))


def _takes_back(git: Git | None, step: SessionStep) -> bool:
    if step.command.endswith(" undo_edit") or (step.command.startswith("rm ") and step.path):
        return True
    if git is None or any(_PAST.fullmatch(word) for word in git.rest):
        return False
    if git.verb == "checkout":  # without a file it is another branch, except for the directory as a whole
        return bool(step.path) or "." in git.rest
    return git.verb == "restore" or (git.verb == "reset" and "--hard" in git.rest)


def _history(steps: tuple[SessionStep, ...]) -> Behaviour:
    kind = BehaviourKind.CHECK_GIT_HISTORY
    for number, step in enumerate(steps):
        git = git_of(tuple(step.command.split()))
        if git is None:
            continue
        compared = git.verb == "diff" and any(".." in word or _PAST.fullmatch(word) for word in git.rest)
        if git.verb in _HISTORY or compared:
            return Behaviour(kind, True, "The agent looked at the history of the repository.", number)
    return Behaviour(kind, False, "No command looked at the history of the repository.")


def _historic(steps: tuple[SessionStep, ...]) -> Behaviour:
    kind = BehaviourKind.REPRODUCED_IN_HISTORIC_CODEBASE
    past = False
    for number, step in enumerate(steps):
        git = git_of(tuple(step.command.split()))
        if git is not None and git.verb in ("checkout", "switch", "reset", "worktree", "bisect", "restore", "archive"):
            past = any(_PAST.fullmatch(word.removeprefix("--source=")) for word in git.rest)
        elif git is not None and git.verb == "show" and step.kind is StepKind.EDIT:  # written to a file
            past = True
        elif past and step.kind in (StepKind.RUN, StepKind.TEST):
            return Behaviour(kind, True, "The agent put an earlier revision in place and ran something on it.", number)
    return Behaviour(kind, False, "No earlier revision was put in place and run.")


def _reproduced(seen: _Walk) -> Iterable[Behaviour]:
    before, after = BehaviourKind.REPRODUCED_BEFORE_EDIT, BehaviourKind.REPRODUCED_AFTER_EDIT
    unclear = "Something was run, but whether it was meant to reproduce the problem cannot be told."
    if seen.before is not None:
        yield Behaviour(before, True, "The agent ran code of its own before it changed the main code.", seen.before)
        yield Behaviour(after, False, "The agent ran code of its own before it changed the main code.")
        return
    if seen.before_maybe:
        yield Behaviour(before, None, unclear)
    else:
        yield Behaviour(before, False, "Nothing was run before the main code was changed.")
    if seen.after is not None and not seen.before_maybe:
        yield Behaviour(after, True, "The agent ran code of its own only after it changed the main code.", seen.after)
    elif seen.after_maybe:
        yield Behaviour(after, None, unclear)
    else:
        yield Behaviour(after, False, "Nothing was run after the main code was changed.")


def _meaning(kind: BehaviourKind, seen: _Walk, why: str) -> Behaviour:
    if seen.edited or seen.unclear:
        return Behaviour(kind, None, why)
    return Behaviour(kind, False, "The main code was not changed.")


def _test_added(steps: tuple[SessionStep, ...], seen: _Walk) -> Behaviour:
    kind = BehaviourKind.ADD_TEST
    touched: set[str] = set()
    unclear = seen.unclear
    for number, step in enumerate(steps):
        known = step.path in touched
        touched.add(step.path)
        if step.kind is not StepKind.EDIT or step.failed is True or not step.path or not is_test(step.path):
            continue
        if step.path.startswith(_ELSEWHERE) or _gone(steps[number + 1 :], step.path):
            continue
        if step.added is None or (step.whole and known and step.removed is None):
            unclear = unclear or not step.command.startswith(("rm ", "git "))
        elif len(_NEW_TEST.findall(step.added)) > len(_NEW_TEST.findall(step.removed or "")):
            return Behaviour(kind, True, "The agent wrote a new test into a file of tests.", number)
    if unclear:
        return Behaviour(kind, None, "Files were changed in ways that the record does not show.")
    return Behaviour(kind, False, "No new test was written into a file of tests.")


def _gone(later: tuple[SessionStep, ...], path: str) -> bool:
    return any(
        step.kind is StepKind.EDIT
        and same_file(step.path, path)
        and (step.command.startswith("rm ") or _takes_back(git_of(tuple(step.command.split())), step))
        for step in later
        if step.path
    )


def _backtracked(seen: _Walk) -> Behaviour:
    kind = BehaviourKind.BACKTRACKS_ON_FIX
    if seen.taken_back is not None:
        return Behaviour(kind, True, "The agent took a change of the main code back.", seen.taken_back)
    texts = [seen.steps[number] for number in seen.edited]
    paths = [step.path for step in texts]
    blind = any(step.added is None and paths.count(step.path) > 1 for step in texts[:_MOST_WRITTEN])
    if seen.unclear or blind:
        return Behaviour(kind, None, "Files were changed in ways that the record does not show.")
    return Behaviour(kind, False, "No change of the main code was taken back.")
