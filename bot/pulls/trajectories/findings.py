"""What the steps of a session show: the behavioural categories of FixedBench, appendix D, and the four trajectory
smells of Passerine, section IV ("Trajectory Dynamics").

FixedBench asks a model for ten behaviours. Here six have a rule, and only what a rule sees is said. The other four ask
what an edit means, or what the agent understood; that is never guessed. A smell is weak evidence: by Passerine's table
V, re-reading is in 53% and 54% of the passing runs on machine-reported bugs (22% on those people report), so it says
something to a reader and decides nothing.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from posixpath import basename

from bot.changes.demands import tests_in
from bot.changes.kinds import is_test, kind_of
from bot.changes.values import FileKind
from bot.pulls.trajectories.steps import line_pattern
from bot.pulls.trajectories.values import SessionStep, StepKind, Trajectory
from bot.verdicts import Effect, Evidence

_HISTORY, _MOVES, _PAST, _RESTORES = map(line_pattern, ("history", "moves", "past", "restores"))
IN_A_ROW = 3  # searches, edits of one file
MOST_QUOTE = 200
_RAN = (StepKind.RUN, StepKind.TEST)
_ELSEWHERE = ("/tmp/", "/var/tmp/", "/private/tmp/")  # noqa: S108 - paths in a record, nothing is written there

Steps = tuple[SessionStep, ...]

_SEEN = {  # in the paper's order
    "check_git_history": "The agent looked at the history of the repository.",
    "reproduced_in_historic_codebase": "The agent put an earlier revision in place and ran something on it.",
    "reproduced_before_edit": "The agent ran code of its own before it changed the main code.",
    "reproduced_after_edit": "The agent ran code of its own only after it changed the main code.",
    "add_test": "The agent wrote a new test into a file of tests.",
    "backtracks_on_fix": "The agent took a change of the main code back.",
}


def step_evidence(check: str, found: str, quote: str, step: SessionStep | None) -> Evidence:
    """Neutral evidence with the tool call that shows it. Without half characters, which nothing can store."""
    where = "trajectory" if step is None else f"trajectory, tool call {step.call + 1}"
    return Evidence(check, Effect.NEUTRAL, found, quote[:MOST_QUOTE].encode("utf-8", "replace").decode(), where)


def behaviours(steps: Steps) -> Iterator[Evidence]:
    """What is seen, each with the tool call that shows it."""
    before, after, taken_back = _main_code(steps)
    history = next((step for step in steps if _HISTORY.match(step.command)), None)
    found = (history, _historic(steps), before, after, _test_added(steps), taken_back)
    for (check, said), step in zip(_SEEN.items(), found, strict=True):
        if step is not None:
            yield step_evidence(check, said, step.command, step)


def _main_code(steps: Steps) -> tuple[SessionStep | None, SessionStep | None, SessionStep | None]:
    """What ran code of the agent's own while no edit of the main code stood, what did so only after, and what took such
    an edit back.

    Main code is what is neither test nor documentation, and no support: a file the agent created itself and then ran,
    deleted, or put into a temporary directory.
    """
    support, own = _support(steps), list[str]()
    standing, stashed = dict[str, SessionStep](), dict[str, SessionStep]()  # the last edit of each file
    unclear = ran = False  # something changed files, and one cannot tell which; anything ran while no edit stood
    before = after = back = None
    for step in steps:
        if step.kind in _RAN:
            tries = step if _runs_own(step, own) else None
            ran = ran or not standing
            after = after or (tries if standing else None)
            before = before or (tries if not standing and not unclear else None)
        if step.kind is not StepKind.EDIT or step.failed:
            continue
        own.append(step.path)
        last = standing.get(step.path)
        undone = last and step.removed and (step.removed, step.added) == (last.added, last.removed)
        if step.command.startswith(("git stash pop", "git stash apply")):
            standing, stashed = standing | stashed, {}
        elif step.command.startswith("git stash"):
            standing, stashed = {}, standing
        elif _restores(step) or undone:
            kept = {path: one for path, one in standing.items() if step.path and not same_file(path, step.path)}
            back = back or (step if kept != standing else None)
            standing = kept
        elif not step.path:
            unclear = True
        elif not _is_aside(step.path, support):
            standing[step.path] = step
    return before, None if ran else after, back or next(iter(stashed.values()), None)


def _support(steps: Steps) -> list[str]:
    touched, created = set[str](), list[str]()
    used = {step.path for step in steps if step.kind is StepKind.RUN or step.command.startswith("rm ")}
    for step in steps:
        if step.kind is StepKind.EDIT and step.whole and step.path not in touched:
            created.append(step.path)
        touched |= {step.path} if step.kind is not StepKind.RUN else set()
    return [path for path in created if any(same_file(path, one) for one in used)]


def _is_aside(path: str, support: list[str]) -> bool:
    paper = is_test(path) or kind_of(path) is FileKind.DOCUMENTATION or path.startswith(_ELSEWHERE)
    return paper or any(same_file(path, one) for one in support)


def _runs_own(step: SessionStep, own: list[str]) -> bool:
    """Whether a command runs code that the agent wrote to see what happens: given with it, or in a file of its own."""
    if step.kind is StepKind.RUN:
        return step.inline or any(step.path and same_file(step.path, path) for path in own if path)
    words = {basename(word.partition("::")[0]) for word in step.command.split()}
    return any(basename(path) in words for path in own if is_test(path))


def _restores(step: SessionStep) -> bool:
    """Whether it puts back what was there. A `git checkout` without a file is another branch."""
    files = step.command.startswith("git checkout") and step.path
    return bool(files or _RESTORES.match(step.command)) and not _PAST.search(step.command)


def _historic(steps: Steps) -> SessionStep | None:
    past = False
    for step in steps:
        if _MOVES.match(step.command):
            past = bool(_PAST.search(step.command))
        elif step.command.startswith("git show") and step.kind is StepKind.EDIT:  # written to a file
            past = True
        elif past and step.kind in _RAN:
            return step
    return None


def _test_added(steps: Steps) -> SessionStep | None:
    """An edit that adds a test to a file that is neither deleted nor restored later. Of a file that was there and is
    written anew nobody can tell."""
    touched = set[str]()
    for number, step in enumerate(steps):
        known = step.path in touched
        touched.add(step.path)
        if step.kind is not StepKind.EDIT or step.failed or not is_test(step.path) or (step.whole and known):
            continue
        later = [each for each in steps[number + 1 :] if each.kind is StepKind.EDIT and same_file(each.path, step.path)]
        more = tests_in(step.added or "") > tests_in(step.removed or "")
        if more and not step.path.startswith(_ELSEWHERE) and not any(map(_restores, later)):
            return step
    return None


def smells(trajectory: Trajectory) -> Iterator[Evidence]:
    """What smells, in the paper's order, each at most once; nothing for a record without tool calls.

    `no_test_smell`: no command that executes tests. `no_op_cat_smell`: a file is read again without any change to it in
    between. `consecutive_search`: at least three code searches in a sequence. `consecutive_edits`: at least three
    edits of the same file in a sequence. `quote` is the file, or the last of the searches.
    """
    steps = trajectory.steps
    tested = any(step.kind is StepKind.TEST for step in steps)
    if steps and not tested and not trajectory.problem:  # the part that was not read may hold a test
        calls, ran = len({step.call for step in steps}), sum(step.kind is StepKind.RUN for step in steps)
        among = "its one tool call" if calls == 1 else f"{calls} tool calls"
        other = f" Other programs were run {_times(ran)}." if ran else ""
        yield step_evidence("no_test_smell", f"Weak: The agent ran no test in {among}.{other}", "", None)
    if again := _read_again(steps):
        said = f"Weak: The agent read a file again {_times(len(again))} without a change to it in between."
        yield step_evidence("no_op_cat_smell", said, again[0].path, again[0])
    searches, search = _in_a_row(steps, StepKind.SEARCH)
    if search and searches >= IN_A_ROW:
        said = f"Weak: The agent searched {searches} times in a row."
        yield step_evidence("consecutive_search", said, search.command, search)
    edits, edit = _in_a_row(steps, StepKind.EDIT)
    if edit and edits >= IN_A_ROW:
        yield step_evidence(
            "consecutive_edits", f"Weak: The agent edited one file {edits} times in a row.", edit.path, edit
        )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _read_again(steps: Steps) -> list[SessionStep]:
    """What was asked for before counts, and any part of a file that was shown whole: reading on in a long file is no
    re-read."""
    seen, again = set[tuple[str, str]](), list[SessionStep]()
    for step in steps:
        if step.kind is StepKind.EDIT and not step.failed:
            seen = {one for one in seen if step.path and not same_file(one[0], step.path)}
        elif step.kind is StepKind.READ and step.path and not step.failed:
            again += [step] if seen & {(step.path, ""), (step.path, step.part)} else []
            seen.add((step.path, step.part))
    return again


def same_file(one: str, other: str) -> bool:
    """Whether two paths may name one file: one of them may be written from a directory the record does not name."""
    return one == other or f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")


def _in_a_row(steps: Steps, kind: StepKind) -> tuple[int, SessionStep | None]:
    """How many calls in a sequence do nothing but that, edits to one file, and the last of them. A tool call counts
    once, however many commands it holds."""
    longest, last = 0, None
    current: Counter[str] = Counter()
    for _, group in groupby(steps, key=lambda step: step.call):
        call = tuple(group)
        alone = all(step.kind is kind for step in call)
        named = {step.path: step for step in call if alone and (step.path or kind is StepKind.SEARCH)}
        current = Counter({path: current[path] + 1 for path in named})
        path, times = max(sorted(current.items()), key=lambda each: each[1], default=("", 0))
        longest, last = (times, named[path]) if times > longest else (longest, last)
    return longest, last
