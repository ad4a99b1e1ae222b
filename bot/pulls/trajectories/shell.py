"""A shell command line as the simple commands it runs. A reading for evidence, not a shell: nothing is expanded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from posixpath import basename

MOST_TEXT = 200_000  # characters of one command line
MOST_TOKENS = 1_500  # words and operators
MOST_COMMANDS = 50
MOST_DEPTH = 4  # of a shell in a shell
MOST_WRAPPERS = 10

_TOKEN = re.compile(
    r"(?:[^\S\n]|\\\n)*+"
    r"(?:(?P<heredoc><<-?(?!<))"
    r"|(?P<redirect>&>>|&>|\d?(?:<<<|>>|>\||>&|<&|<>|>|<))"
    r"|(?P<operator>&&|\|\||\|&|;;|[;|&\n()])"
    r"|(?P<word>(?:[^\s'\"\\;|&()<>]|\\.|'[^']*+'|\"(?:[^\"\\]++|\\.)*+\")++))",
    re.DOTALL,
)
_QUOTED = re.compile(r"'([^']*+)'|\"((?:[^\"\\]++|\\.)*+)\"|\\(.)", re.DOTALL)
_ESCAPED = re.compile(r"\\([\"\\$`\n])")
_VARIABLE = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time", "fi", "done"})
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})

# Programs that run another one: how many words of their own stand before it, and their options that take a value.
_WRAPPERS: dict[str, tuple[int, frozenset[str]]] = {
    "env": (0, frozenset({"-u", "-C", "--chdir", "--unset"})),
    "sudo": (0, frozenset({"-u", "-g"})),
    "timeout": (1, frozenset({"-s", "-k", "--signal", "--kill-after"})),
    "gtimeout": (1, frozenset({"-s", "-k", "--signal", "--kill-after"})),
    "nice": (0, frozenset({"-n"})),
    "ionice": (0, frozenset({"-c", "-n"})),
    "nohup": (0, frozenset()),
    "command": (0, frozenset()),
    "exec": (0, frozenset()),
    "time": (0, frozenset({"-f", "-o"})),
    "stdbuf": (0, frozenset({"-i", "-o", "-e"})),
    "xvfb-run": (0, frozenset({"-s", "-n"})),
    "xargs": (0, frozenset({"-n", "-I", "-P", "-L", "-d", "-a", "-s"})),
    "npx": (0, frozenset({"-p", "--package"})),
    "bunx": (0, frozenset()),
    "uvx": (0, frozenset({"--from", "--with", "-p", "--python"})),
    "dotenv": (0, frozenset({"-f", "-e"})),
    "cross-env": (0, frozenset()),
}
# The same behind a word of their own: `poetry run pytest`.
_RUNNERS: dict[str, tuple[str, frozenset[str]]] = {
    "uv": (
        "run",
        frozenset({"--with", "--group", "--extra", "-p", "--python", "--project", "--directory", "--package"}),
    ),
    "poetry": ("run", frozenset({"-C", "--directory", "-P", "--project"})),
    "pipenv": ("run", frozenset()),
    "pdm": ("run", frozenset({"-p", "--project"})),
    "hatch": ("run", frozenset({"-e", "--env"})),
    "rye": ("run", frozenset()),
    "pixi": ("run", frozenset({"-e", "--environment"})),
    "conda": ("run", frozenset({"-n", "--name", "-p", "--prefix"})),
    "mamba": ("run", frozenset({"-n", "--name", "-p", "--prefix"})),
    "micromamba": ("run", frozenset({"-n", "--name", "-p", "--prefix"})),
    "coverage": ("run", frozenset({"--source", "--rcfile", "--omit", "--include", "--context"})),
    "bundle": ("exec", frozenset()),
    "pnpm": ("exec", frozenset({"--filter", "-F", "-C", "--dir"})),
    "yarn": ("exec", frozenset()),
    "npm": ("exec", frozenset()),
}


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One simple command. words: name and arguments, unquoted, without variables and wrappers. writes: files its
    output is redirected to. appends: it adds to them. stdin: the here-document or here-string it is given.
    stage: its place in a pipeline, from 0. cwd: the last `cd` before it, empty for none."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    appends: bool = False
    stdin: str = ""
    stage: int = 0
    cwd: str = ""

    @property
    def name(self) -> str:
        """The program without its directory."""
        return basename(self.words[0]) if self.words else ""

    @property
    def operands(self) -> tuple[str, ...]:
        """Arguments that are no options. The value of an option counts as one."""
        return tuple(word for word in self.words[1:] if not word.startswith("-"))

    def has(self, *options: str) -> bool:
        """Whether one of these options is given; a letter also among others (`-rn`)."""
        for word in self.words[1:]:
            if word in options or word.partition("=")[0] in options:
                return True
            letters = word[1:] if word[:1] == "-" and word[1:2] != "-" else ""
            if any(len(option) == 2 and option[1] in letters for option in options):
                return True
        return False


def commands(line: str) -> tuple[ShellCommand, ...]:
    """The simple commands of a command line, in order, at most `MOST_COMMANDS`; also those in `bash -c "…"`."""
    found: list[ShellCommand] = []
    _collect(line[:MOST_TEXT], "", 0, found)
    return tuple(found[:MOST_COMMANDS])


def _collect(line: str, cwd: str, depth: int, found: list[ShellCommand]) -> None:
    for raw in _simple(line):
        if len(found) >= MOST_COMMANDS:
            return
        words = _unwrapped(raw.words)
        command = replace(raw, words=words, cwd=cwd)
        if command.name == "cd":
            target = next(iter(command.operands), "")
            cwd = target if target.startswith("/") or not cwd else f"{cwd}/{target}"
            continue
        script = _script(command)
        if script is not None and depth < MOST_DEPTH:
            _collect(script, cwd, depth + 1, found)
        elif words or raw.writes:
            found.append(command)


def _script(command: ShellCommand) -> str | None:
    """What a shell is told to run, where the command is such a shell."""
    if command.name not in _SHELLS:
        return None
    for position, word in enumerate(command.words[1:], start=2):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word):
            return command.words[position] if position < len(command.words) else ""
        if not word.startswith("-") and command.words[position - 2] != "-o":
            return None
    return command.stdin or None


def _simple(line: str) -> Iterator[ShellCommand]:
    words: list[str] = []
    writes: list[str] = []
    appends = False
    stdin = ""
    stage = 0
    documents: list[str] = []
    expects = ""  # what the next word is: a redirect's target, a here-document's end, or a word of the command
    position = 0
    pending: list[ShellCommand] = []  # of this line, until its here-documents are read
    line += "\n"
    for _ in range(MOST_TOKENS):
        if position >= len(line):
            break
        match = _TOKEN.match(line, position)
        if match:
            kind, position = match.lastgroup or "", match.end()
            text = match[kind]
        else:  # an open quote reaches to the end
            kind, text, position = "word", line[position:].strip(), len(line)
        if kind == "word":
            if text.startswith("#") and not expects:
                position = _line_end(line, position)
            elif expects == "<<":
                documents.append(_unquoted(text))
            elif expects == "<<<":
                stdin = _unquoted(text)
            elif ">" in expects and "&" not in expects[1:]:
                writes.append(_unquoted(text))
                appends = appends or ">>" in expects
            elif not expects:
                words.append(_unquoted(text))
            expects = ""
        elif kind == "heredoc":
            expects = "<<"
        elif kind == "redirect":
            expects = text.lstrip("0123456789")
            if text.startswith("2"):
                expects = "<"  # messages of errors are not what a command writes
        elif kind == "operator":
            if words or writes:
                pending.append(ShellCommand(tuple(words), tuple(writes), appends, stdin, stage))
            words, writes, appends, stdin, expects = [], [], False, "", ""
            stage = stage + 1 if text in ("|", "|&") else 0
            if text == "\n":
                bodies = []
                for end in documents:
                    body, position = _document(line, position, end)
                    bodies.append(body)
                given = "".join(bodies)
                yield from (replace(one, stdin=given) if given and not one.stdin else one for one in pending)
                documents, pending = [], []
    yield from pending
    yield ShellCommand(tuple(words), tuple(writes), appends, stdin, stage)


def _line_end(line: str, position: int) -> int:
    end = line.find("\n", position)
    return len(line) if end < 0 else end


def _document(line: str, position: int, end: str) -> tuple[str, int]:
    """A here-document from a position on, and where it ends; one that is never closed reaches to the end."""
    start = position
    while position < len(line):
        stop = _line_end(line, position)
        if line[position:stop].strip() == end:
            return line[start:position], stop + 1
        position = stop + 1
    return line[start:], len(line)


def _unquoted(word: str) -> str:
    return _QUOTED.sub(lambda m: m[1] or (_ESCAPED.sub(r"\1", m[2]) if m[2] else m[3] or ""), word)


def _unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command without variables, keywords and programs that only run it."""
    for _ in range(MOST_WRAPPERS):
        start = next((n for n, word in enumerate(words) if not _prefix(word)), len(words))
        words = words[start:]
        name = basename(words[0]) if words else ""
        if name in _WRAPPERS and len(words) > 1:
            own, valued = _WRAPPERS[name]
            words = _behind(words[1:], own, valued)
        elif name in _RUNNERS and _RUNNERS[name][0] in words[1:4]:
            verb, valued = _RUNNERS[name]
            inner = _behind(words[words.index(verb) + 1 :], 0, valued)
            words = ("python", *inner) if name == "coverage" and inner[:1] and inner[0].endswith(".py") else inner
        elif re.fullmatch(r"python[\d.]*|py", name) and (module := _module(words)) is not None:
            words = module
        else:
            return words
    return words


def _prefix(word: str) -> bool:
    return word in _KEYWORDS or bool(_VARIABLE.match(word))


def _behind(words: tuple[str, ...], own: int, valued: frozenset[str]) -> tuple[str, ...]:
    position = 0
    while position < len(words):
        word = words[position]
        if word == "-m":  # `coverage run -m pytest`
            return words[position + 1 :]
        if word in valued:
            position += 2
        elif word.startswith("-"):
            position += 1
        elif own:
            own -= 1
            position += 1
        else:
            break
    return words[position:]


def _module(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """`python -X dev -m pytest -q` as `pytest -q`; `None` when no module is run."""
    for position, word in enumerate(words[1:], start=1):
        if word == "-m":
            return words[position + 1 :] or None
        if word == "-c" or not (word.startswith("-") or words[position - 1] in ("-X", "-W")):
            return None
    return None
