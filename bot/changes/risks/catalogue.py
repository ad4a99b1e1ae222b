"""The named risks of a change: their table, as the docs show it, and all of them found, in a process of their own where
there is much to read."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from bot.changes.risks.ci import ci, may_be_layout
from bot.changes.risks.dependencies import dependencies, locks, may_be_locked
from bot.changes.risks.guardians import guardians
from bot.changes.risks.lines import first
from bot.changes.risks.literals import literals
from bot.changes.risks.runtime import packages, runtime
from bot.changes.risks.sources import sources
from bot.changes.risks.surroundings import surroundings
from bot.changes.risks.testing import steers, testing
from bot.changes.risks.values import Find, Holds, Risk, waived
from bot.changes.values import Change, FileChange, FileKind, FileStatus, Whole
from bot.child_process import TooLong, run_bounded

MOST_RISKS = 200  # of one change
MOST_WHOLE = 200  # files that are asked for; of more, the diff's lines alone are read

NAMED_RISKS = {
    "ci_changed": (
        "CI workflows, build files, or hooks before a commit; newer versions of actions and hooks, and comments and "
        "layout of YAML files, are only shown"
    ),
    "policy_changed": "Bouncer's policy",
    "owners_changed": "`CODEOWNERS`, in any of its three places",
    "instructions_changed": (
        "what coding agents read as instructions: `AGENTS.md`, `.cursorrules`, skills and the like; in documentation "
        "folders only the name in capitals, since `agents.md` is a page there"
    ),
    "git_changed": "git attributes, submodules, or the commit of one",
    "dependency_source": "the index, registry, address or repository that dependencies come from",
    "install_script": (
        "something that runs while the project is installed or built: scripts, build backends, `setup.py`, `build.rs`"
    ),
    "dependency_added": (
        "a new dependency, if tests end differently with it or it may take part in running them; one in the base's "
        "lock file is only shown, except plugins of pytest"
    ),
    "tests_steered": (
        "configuration, fixtures and hooks of tests, if tests end differently with them or they choose tests, bring "
        "plugins, change reports, or have a hook that touches tests, marks or reports"
    ),
    "tools_shadowed": (
        "a new file that Python or a test tool loads by itself or instead of the real one, or a file in a folder such "
        "as `node_modules` or `.venv`"
    ),
    "symbolic_link": "a symbolic link",
    "made_executable": "a file that may be started as a program now; new ones are only shown",
    "asks_if_tested": "product code asks whether it is tested or runs on CI",
    "asks_where_it_runs": (
        "product code asks on which machine, as which user, or how started it runs; `/work` and `/results` count only "
        "next to what reads files and folders, because routes have such names"
    ),
    "reaches_frames": "product code reads its callers' frames or the garbage collector",
    "reads_itself": (
        "product code reads its own source or compiled code; a function "
        "may read the source of its parameter, unless another new line names that function"
    ),
    "reaches_runtime": (
        "product code changes the interpreter, its imports, or test tools; parts of pytest or pluggy may import their "
        "like"
    ),
    "ends_process": "product code ends the process, at once or when it is imported",
    "equals_everything": "a comparison always gives the same answer",
    "special_cased": (
        "product code checks for a value of a test or the issue, and returns the answer that the test expects; nothing "
        "(`None`, an empty text or list) for a plain word is no answer"
    ),
}


def files(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`symbolic_link`, `made_executable`."""
    for file in change.files:
        if file.link:
            say = "It is a symbolic link, which may lead anywhere."
            beside = ("symlink", "symbolic link", "symlinks", "symbolic links")
            yield Risk("symbolic_link", say, file.path, names=(file.path,), beside=beside)
        if file.executable:
            new = file.status is FileStatus.ADDED and file.kind is not FileKind.TEST and not file.binary
            holds, said = Holds.NEVER if new else Holds.ALWAYS, ("executable", "executable bit", "chmod")
            say = "It may be started as a program now."
            yield Risk("made_executable", say, file.path, first(file), (file.path,), holds, said)


CHECKS = frozenset(NAMED_RISKS)
FAMILIES: tuple[Find, ...] = (ci, guardians, sources, dependencies, testing, files, surroundings, runtime)


def risks(change: Change, asked: str = "", others: str = "", whole: Whole = lambda file: None) -> tuple[Risk, ...]:
    """The most important first, at most `MOST_RISKS`.

    asked: what the change is held against, whoever wrote it. others: the issues by somebody else than its author, which
    alone waive. whole: files before and after, where they can be had.
    """
    found: dict[Risk, None] = {}
    for risk in chain(*(find(change, whole) for find in FAMILIES), literals(asked, change)):
        if risk.holds is Holds.ALWAYS and waived(risk, others):
            say = f"{risk.sentence[:-1]}, as an issue by somebody else asks."
            risk = replace(risk, sentence=say, holds=Holds.WAIVED)
        found[risk] = None
        if len(found) == MOST_RISKS:
            break
    return tuple(found)


def text_by_path(known: Mapping[str, tuple[str, str] | None], file: FileChange) -> tuple[str, str] | None:
    """A `Whole`, once its first argument is bound, that crosses into another process: by path, all that it can tell."""
    return known.get(file.path)


def risks_of(change: Change, asked: str, others: str, whole: Whole) -> tuple[Risk, ...] | TooLong:
    """`risks`, once all is known that they may ask for, or why they could not be found in time."""
    known = {file.path: whole(file) for file in (*packages(change), *_wanted(change)[:MOST_WHOLE])}
    found = _risks(change, asked, others, known)
    if isinstance(found, TooLong) or not any(map(may_be_locked, found)):
        return found
    return _risks(change, asked, others, known | {file.path: whole(file) for file in locks(change)})


def _risks(
    change: Change, asked: str, others: str, known: Mapping[str, tuple[str, str] | None]
) -> tuple[Risk, ...] | TooLong:
    size = change.size + sum(len(text) for texts in known.values() if texts for text in texts)
    return run_bounded(size, risks, change, asked, others, partial(text_by_path, known))


def _wanted(change: Change) -> list[FileChange]:
    """Where the diff may not show in what a line stands: manifests, what steers tests, and orders of CI."""
    files = (file for file in change.files if file.status is FileStatus.MODIFIED)
    return [file for file in files if file.kind is FileKind.DEPENDENCIES or steers(file) or may_be_layout(file)]
