"""What a shell command line was for: searching, reading, editing, testing, running a program."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from posixpath import basename, join, normpath

from bot.pulls.trajectories.patches import patch_edits
from bot.pulls.trajectories.runners import runs_tests
from bot.pulls.trajectories.shell import ShellCommand, commands
from bot.pulls.trajectories.values import WHOLE, SessionStep, StepKind

MOST_PATH = 400
MOST_PATHS = 20  # files one command reads or changes

_SILENT = frozenset(
    {"echo", "printf", "export", "set", "unset", "source", ".", "true", ":", "pwd", "sleep", "wait", "exit"}
)
_SEARCHES = frozenset(
    {
        *("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "locate", "ctags", "ast-grep"),
        *("find_file", "search_dir", "search_file", "code_search"),
    }
)
_READS = frozenset(
    {"cat", "head", "tail", "less", "more", "nl", "bat", "batcat", "tac", "sed", "awk", "gawk", "filemap"}
)
_REST = frozenset(  # what looks around, sets up or computes on text, and neither reads a file whole nor runs the code
    {
        *("ls", "tree", "wc", "sort", "uniq", "cut", "tr", "column", "diff", "cmp", "file", "stat", "du", "df", "test"),
        *("[", "[[", "which", "type", "whereis", "whoami", "id", "uname", "date", "env", "printenv", "ps", "kill"),
        *(
            "mkdir",
            "chmod",
            "chown",
            "ln",
            "tar",
            "unzip",
            "curl",
            "wget",
            "git",
            "gh",
            "pip",
            "pip3",
            "apt",
            "apt-get",
        ),
        *("brew", "conda", "ruff", "flake8", "pylint", "mypy", "pyright", "eslint", "tsc", "jq", "yq", "basename"),
        *("dirname", "realpath", "readlink", "seq", "read", "for", "case", "select", "function", "md5sum", "sha256sum"),
    }
)
_INLINE = frozenset({"-c", "-e", "--eval", "-r", "-"})
_WRITES = re.compile(r"write_text|write_bytes|\.write\(|writeFile|open\([^)\n]{0,200}['\"][wax]b?\+?['\"]")
_SED_LINES = re.compile(r"(\d{1,9})(?:,(\d{1,9}|\$))?p;?")
_FILE_NAME = re.compile(r"^[^-].*(?<!\d)\.[A-Za-z]\w{0,5}$")
_FORMATTERS = {
    "black": (),
    "isort": (),
    "autopep8": ("-i", "--in-place"),
    "yapf": ("-i", "--in-place"),
    "prettier": ("-w", "--write"),
    "eslint": ("--fix",),
    "gofmt": ("-w",),
    "goimports": ("-w",),
    "rustfmt": (),
    "clang-format": ("-i",),
    "dos2unix": (),
    "patch": (),
    "ed": (),
    "ex": (),
}
_GIT_CHANGES = frozenset(
    {
        *("checkout", "restore", "reset", "stash", "apply", "am", "revert", "merge", "pull", "rebase", "cherry-pick"),
        *("switch", "clean", "rm", "mv"),
    }
)


@dataclass(frozen=True, slots=True)
class Git:
    """One use of git: its verb, and what follows without options of git itself."""

    verb: str
    rest: tuple[str, ...]


def git_of(words: tuple[str, ...]) -> Git | None:
    """A command's use of git; `None` when it is another program."""
    if not words or basename(words[0]) != "git":
        return None
    position = 1
    while position < len(words) and words[position].startswith("-"):
        position += 2 if words[position] in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return Git(words[position], words[position + 1 :]) if position < len(words) else None


def place(cwd: str, path: str) -> str:
    """A path as it would be written from the root, or from where the agent stood; empty when it is none."""
    if not path or len(path) > MOST_PATH or any(mark in path for mark in "$*?`\n\0") or path.startswith(("~", "/dev/")):
        return ""
    found = normpath(join(cwd, path))
    return found if found not in (".", "/") else ""


def steps_of(line: str, cwd: str) -> Iterator[SessionStep]:
    """What a command line did, without output and number of the call. A line that only looks around gives one step."""
    found = [step for pipeline in _pipelines(commands(line)) for step in _pipeline(pipeline, cwd)]
    return iter(found or [SessionStep(StepKind.OTHER, line)])


def _pipelines(found: tuple[ShellCommand, ...]) -> Iterator[tuple[ShellCommand, ...]]:
    numbers: list[int] = []
    for command in found:
        numbers.append((numbers[-1] if numbers else 0) + (command.stage == 0))
    for _, group in groupby(zip(numbers, found, strict=True), key=lambda pair: pair[0]):
        yield tuple(command for _, command in group)


def _pipeline(pipeline: tuple[ShellCommand, ...], cwd: str) -> Iterator[SessionStep]:
    """The head says what a pipeline is for, unless something behind it searches what is read, edits or tests."""
    first, *later = [tuple(_steps(command, cwd)) for command in pipeline]
    behind = tuple(step for steps in later for step in steps)
    strong = tuple(step for step in behind if step.kind in (StepKind.TEST, StepKind.EDIT, StepKind.RUN))
    if first and all(step.kind is StepKind.READ for step in first):
        if any(step.kind is StepKind.SEARCH for step in behind):
            first = tuple(replace(step, kind=StepKind.SEARCH, path="", lines=None) for step in first[:1])
        elif len(pipeline) > 1:  # `nl -ba file | sed -n 1,80p` shows what its end shows
            part = _lines(pipeline[-1]) if len(pipeline) == 2 else None
            first = tuple(replace(step, lines=part if step.lines == WHOLE else None) for step in first)
    yield from (*first, *strong)


def _steps(command: ShellCommand, cwd: str) -> Iterator[SessionStep]:
    here = join(cwd, command.cwd)
    text = " ".join(command.words)
    said = SessionStep(StepKind.OTHER, text)
    written = [path for path in (place(here, target) for target in command.writes[:MOST_PATHS]) if path]
    yield from _written(command, said, written)
    if not command.words or command.name in _SILENT:
        return
    if runs_tests(command):
        yield replace(said, kind=StepKind.TEST)
    elif command.name == "apply_patch":
        yield from patch_edits(command.stdin or next(iter(command.operands), ""), here)
    elif changed := _changed(command, here):
        yield from (
            replace(said, kind=StepKind.EDIT, path=path, whole=command.name == "tee" and "-a" not in command.words)
            for path in changed
        )
    elif command.name in _SEARCHES or ((git := git_of(command.words)) and git.verb == "grep"):
        yield replace(said, kind=StepKind.SEARCH)
    elif command.name in _READS:
        if not written:  # `cat > file` writes
            yield from _read(command, said, here)
    elif command.name in _REST or command.name in _FORMATTERS:
        yield said
    else:
        inline = bool(command.stdin) or any(word in _INLINE for word in command.words[1:])
        writes = inline and _WRITES.search(command.stdin or text)
        program = "" if writes else _program(command, here)
        yield replace(said, kind=StepKind.EDIT if writes else StepKind.RUN, path=program, inline=inline)


def _written(command: ShellCommand, said: SessionStep, written: list[str]) -> Iterator[SessionStep]:
    """Files that a redirect writes. What `cat` and `echo` put there is known."""
    added: str | None = None
    if command.name == "cat" and command.stdin:
        added = command.stdin
    elif command.name in ("echo", "printf"):
        added = " ".join(command.operands)
    for path in written:
        yield replace(said, kind=StepKind.EDIT, path=path, removed="" if command.appends else None, added=added,
                      whole=not command.appends)  # fmt: skip


def _changed(command: ShellCommand, here: str) -> list[str]:
    """Files a command changes; an empty path where it cannot be told which."""
    match command.name:
        case "sed":
            in_place = any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in command.words[1:])
            return (_places(here, _sed_files(command)) or [""]) if in_place else []
        case "perl" | "ruby" if any(re.fullmatch(r"-\w*i(?:\.\w+)?\w*", word) for word in command.words[1:]):
            return _places(here, command.operands[1:]) or [""]
        case "tee" | "rm" | "touch" | "truncate" | "unlink":
            return _places(here, command.operands)
        case "mv":
            return _places(here, command.operands)
        case "cp" | "install":
            return _places(here, command.operands[-1:])
        case "find" if command.has("-delete", "-exec", "-execdir"):
            edits = {"-delete", "rm", "sed", "perl", "mv"} & set(command.words)
            return [""] if edits and "-n" not in command.words else []
        case "git":
            return _git_changes(command.words, here)
        case "ruff" if "format" in command.words[1:2] or "--fix" in command.words:
            return [""] if "--check" not in command.words and "--diff" not in command.words else []
        case "cargo" | "go" if command.words[1:2] in (("fmt",), ("fix",)):
            return [""]
        case name if name in _FORMATTERS:
            needs = _FORMATTERS[name]
            if "--check" in command.words or "--diff" in command.words or (needs and not command.has(*needs)):
                return []
            return [""]
    return []


def _git_changes(words: tuple[str, ...], here: str) -> list[str]:
    git = git_of(words)
    if git is None or git.verb not in _GIT_CHANGES:
        return []
    options = [word for word in git.rest if word.startswith("-")]
    if {"-b", "-B", "-c", "-C"} & set(options) and git.verb in ("checkout", "switch"):
        return []  # a new branch of what is there
    if git.verb == "stash" and git.rest[:1] in (("list",), ("show",), ("drop",), ("clear",)):
        return []
    if git.verb == "reset" and not {"--hard", "--merge", "--keep"} & set(options):
        return []  # the index alone
    if git.verb == "apply" and {"--check", "--stat", "--numstat"} & set(options):
        return []
    return _places(here, taken_back(git)) or [""]


def taken_back(git: Git) -> tuple[str, ...]:
    """The files that a `git checkout` or `git restore` names; none where it takes everything, or a revision."""
    if git.verb in ("checkout", "restore", "stash") and "--" in git.rest:
        return git.rest[git.rest.index("--") + 1 :]
    if git.verb in ("rm", "mv"):
        return tuple(word for word in git.rest if not word.startswith("-"))
    if git.verb in (
        "checkout",
        "restore",
    ):  # without `--` only what ends like a file: branches and tags may have any name
        return tuple(word for word in git.rest if _FILE_NAME.search(word))
    return ()


def _places(here: str, operands: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(place(here, operand) for operand in operands[:MOST_PATHS]))


def _read(command: ShellCommand, said: SessionStep, here: str) -> Iterator[SessionStep]:
    if command.name in ("awk", "gawk"):
        operands = command.operands[1:]
    elif command.name == "sed":
        operands = _sed_files(command)
    elif command.name in ("head", "tail"):
        operands = tuple(word for word in command.operands if not word.lstrip("+").isdigit())
    else:
        operands = command.operands
    for operand in operands[:MOST_PATHS]:
        yield replace(said, kind=StepKind.READ, path=place(here, operand), lines=_lines(command))


def _sed_files(command: ShellCommand) -> tuple[str, ...]:
    """Its operands without the script."""
    scripts = ("-e", "-f", "--expression", "--file")
    pairs = zip(command.words, command.words[1:], strict=False)
    operands = tuple(word for before, word in pairs if before not in scripts and not word.startswith("-"))
    return operands if any(word.startswith(scripts) for word in command.words) else operands[1:]


def _lines(command: ShellCommand) -> tuple[int, int] | None:
    """The lines of a file that a command shows, where its words tell."""
    match command.name:
        case "cat" | "nl" | "less" | "more" | "bat" | "batcat" | "tac":
            return WHOLE
        case "head":
            count = next((word.lstrip("-n") for word in command.words[1:] if word.lstrip("-n").isdigit()), "10")
            return (1, int(count[:9])) if not command.has("-c") else None
        case "sed" if command.has("-n"):
            shown = next((m for word in command.words[1:] if (m := _SED_LINES.fullmatch(word))), None)
            if shown is None:
                return None
            last = shown[2] or shown[1]
            return int(shown[1]), WHOLE[1] if last == "$" else int(last)
    return None


def _program(command: ShellCommand, here: str) -> str:
    """The file that is run: the program itself where it has a path, or what an interpreter is given."""
    if "/" in command.words[0] and not command.words[0].startswith(("/usr/", "/bin/", "/opt/")):
        return place(here, command.words[0])
    if any(word in _INLINE for word in command.words[1:]):
        return ""
    given = next(iter(command.operands), "")
    return place(here, given) if "." in basename(given) else ""
