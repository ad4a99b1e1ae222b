"""A shell command line as the simple commands it runs. A reading for evidence, not a shell: nothing is expanded."""

import re
import shlex
from dataclasses import dataclass
from posixpath import basename

from tree_sitter import Node

from bot.changes.syntax import shell_tree, text_of
from bot.changes.wrappers import behind_options, inner_command

MOST_TEXT = 50_000  # characters of one command line
MOST_COMMANDS = 50
MOST_DEPTH = 4  # of a shell in a shell
MOST_WRAPPERS = 10

_SHELLS = ("bash", "sh", "zsh", "dash", "ksh")
_NO_WORDS = ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
_WRITES = (">", ">>", ">|", "&>", "&>>")


@dataclass(slots=True)
class ShellCommand:
    """One simple command. words: name and arguments, unquoted, without variables, wrappers and git's own options.
    writes: files its output is redirected to. stdin: the here-document or here-string it is given. cwd: the last `cd`
    before it, empty for none."""

    words: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    stdin: str = ""
    cwd: str = ""

    @property
    def name(self) -> str:
        """The program without its directory."""
        return basename(self.words[0]) if self.words else ""

    @property
    def operands(self) -> tuple[str, ...]:
        """Arguments that are no options. The value of an option counts as one."""
        return tuple(word for word in self.words[1:] if not word.startswith("-"))


Pipeline = tuple[ShellCommand, ...]


def pipelines(line: str, cwd: str = "", depth: int = 0) -> list[Pipeline]:
    """The simple commands of a command line, in order; also those in `bash -c "…"`. None of a line that takes long."""
    found: list[Pipeline] = []
    for commands in _read(line[:MOST_TEXT].encode("utf-8", "replace")):
        for command in commands:
            command.words = _unwrapped(command.words)
            command.cwd = cwd
            if command.name == "cd":
                target = next(iter(command.operands), "")
                cwd = target if target.startswith("/") or not cwd else f"{cwd}/{target}"
                command.words = ()
            elif depth < MOST_DEPTH and (script := _script(command)):
                found += pipelines(script, cwd, depth + 1)
                command.words = ()
        if kept := tuple(command for command in commands if command.words or command.writes):
            found.append(kept)
    return found[:MOST_COMMANDS]


def _read(line: bytes) -> list[list[ShellCommand]]:
    """The commands as they are written. Those within another one's words come right behind it."""
    found: list[list[ShellCommand]] = []
    waiting = [root] if (root := shell_tree(line)) else []
    documents: list[ShellCommand] = []  # commands whose here-document is still to come
    piped = False
    while waiting and len(found) < MOST_COMMANDS:
        node = waiting.pop()
        if node.type == "command" or (node.type == "redirected_statement" and not node.child_by_field_name("body")):
            words = (each for each in node.children if each.type not in _NO_WORDS)
            command = ShellCommand(tuple(map(_unquoted, words)))
            if piped and found:
                found[-1].append(command)
            else:
                found.append([command])
        piped = node.type in ("|", "|&") or (piped and node.type != "command")
        last = found[-1][-1] if found else ShellCommand()
        match node.type:
            case "file_redirect":
                _redirect(node, last)
            case "herestring_redirect":
                last.stdin = _unquoted(node.named_children[-1]) if node.named_children else ""
            case "heredoc_start":
                documents.append(last)
            case "heredoc_body" if documents:
                documents.pop().stdin = text_of(node)
                continue
        waiting += reversed(node.children)
    return found


def _redirect(node: Node, command: ShellCommand) -> None:
    kinds = [child.type for child in node.children]
    errors = node.child_by_field_name("descriptor")
    target = node.child_by_field_name("destination")
    if target is not None and any(kind in _WRITES for kind in kinds) and (errors is None or text_of(errors) != "2"):
        command.writes += (_unquoted(target),)


def _unquoted(node: Node) -> str:
    text = text_of(node)
    try:
        return " ".join(shlex.split(text))
    except ValueError:
        return text


def _script(command: ShellCommand) -> str:
    """What a shell is told to run, where the command is such a shell."""
    if command.name not in _SHELLS:
        return ""
    words = iter(command.words[1:])
    for word in words:
        if re.fullmatch(r"-[a-z]*c[a-z]*", word):
            return next(words, "")
        if word == "-o":
            next(words, "")
        elif not word.startswith("-"):
            return ""
    return command.stdin


def _unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command without variables and programs that only run it."""
    for _ in range(MOST_WRAPPERS):
        words = words[next((n for n, word in enumerate(words) if not re.match(r"\w+\+?=", word)), len(words)) :]
        inner = inner_command(words)
        if inner == words:
            break
        words = inner
    git = words and basename(words[0]) == "git"
    return ("git", *behind_options(words[1:], "-C -c --git-dir --work-tree")) if git else words
