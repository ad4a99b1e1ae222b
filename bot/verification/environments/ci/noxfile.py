"""The sessions of a `noxfile.py`, read and never run: what they install and run, as far as it is written out."""

import ast
import re
import shlex
import sys
from argparse import ArgumentParser
from collections import ChainMap
from collections.abc import Iterator, Sequence

from bot.verification.environments.ci.named import Recipe
from bot.verification.environments.python import Needs
from bot.verification.syntax import tree_of

MOST_SESSIONS = 30
_DEEPEST = 3  # functions that call each other
_OPTIONS = ArgumentParser(add_help=False, allow_abbrev=False)
_OPTIONS.add_argument("-s", "-e", "--session", "--sessions", dest="sessions", nargs="*", action="extend", default=[])
Names = ChainMap[str, list[str]]  # of texts and of lists of them
_RUNS = ("run", "run_always", "run_install")


def of_nox(noxfile: str, words: Sequence[str]) -> Iterator[tuple[Recipe, ...]]:
    """Those that a command line of nox runs: all that it names, else one of the default after the other."""
    file = _Noxfile(noxfile)
    if names := _names(words):
        yield tuple(map(file.session, names))
        return
    yield from ((file.session(name),) for name in (file.default or list(file.sessions))[:MOST_SESSIONS])


def _names(words: Sequence[str]) -> list[str]:
    """Of sessions, without the Python and the parameters that stand behind them."""
    asked, _ = _OPTIONS.parse_known_args(words[: words.index("--")] if "--" in words else words)
    return [re.sub(r"(?:-(?:3\.\d+|pypy[\d.]*))?(?:\(.*\))?$", "", name) for name in asked.sessions]


class _Noxfile:
    """sessions: name -> the function. functions: all at the top. texts: names of texts and lists of them. default: the
    sessions of a command line that names none."""

    def __init__(self, source: str) -> None:
        self.sessions, self.functions = dict[str, ast.FunctionDef](), dict[str, ast.FunctionDef]()
        self.texts, self.default = Names(), list[str]()
        for node in tree_of(source.encode()).body:
            if isinstance(node, ast.FunctionDef):
                self.functions[node.name] = node
                for each in node.decorator_list:
                    if "session" in ast.unparse(each):
                        keys = getattr(each, "keywords", ())
                        said = [word for key in keys if key.arg == "name" for word in _words(key.value, self.texts)]
                        self.sessions[next(iter(said), node.name)] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                words = _words(node.value, self.texts)
                if isinstance(target, ast.Name) and words:
                    self.texts[target.id] = words
                elif ast.unparse(target) == "nox.options.sessions":
                    self.default = words

    def session(self, name: str) -> Recipe:
        recipe = Recipe(needs=Needs())
        if found := self.sessions.get(name) or self.sessions.get(name.replace("-", "_")):
            self._read(found, recipe, self.texts.new_child(), 0)
        return recipe

    def _read(self, function: ast.FunctionDef, recipe: Recipe, names: Names, depth: int) -> None:
        """What a function does, in its order."""
        nodes = [node for node in ast.walk(function) if isinstance(node, ast.Call | ast.Assign)]
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            if isinstance(node, ast.Call):
                self._call(node, recipe, names, depth)
                continue
            words = _words(node.value, names)
            match node.targets:
                case [ast.Name(id=name)]:
                    names[name] = words
                case [ast.Subscript(value=ast.Attribute(attr="env"), slice=ast.Constant(value=str(key)))] if words:
                    recipe.variables[key] = words[0]

    def _call(self, node: ast.Call, recipe: Recipe, names: Names, depth: int) -> None:
        words = [word for each in node.args for word in _words(each, names)]
        given = {key.arg: key.value for key in node.keywords if key.arg}
        match node.func:
            case ast.Attribute(value=ast.Name(), attr="install") if recipe.needs:
                recipe.needs.add(*words)
            case ast.Attribute(value=ast.Name(), attr=name) if name in _RUNS and words:
                recipe.variables.update(_table(given.get("env"), names))
                recipe.commands.append(shlex.join(words))
            case ast.Attribute(value=ast.Attribute(attr="env"), attr="update") if node.args:
                recipe.variables.update(_table(node.args[0], names))
            case ast.Attribute(value=ast.Name(), attr="chdir" | "cd") if words:
                recipe.folder = words[0]
            case ast.Name(id=name) if name in self.functions and depth < _DEEPEST:
                function = self.functions[name]
                given |= {each.arg: value for each, value in zip(function.args.args, node.args, strict=False)}
                inner = {each: _words(value, names) for each, value in given.items()}
                self._read(function, recipe, self.texts.new_child(inner), depth + 1)


def _words(node: ast.AST, names: Names) -> list[str]:
    """The texts that an expression stands for; of an `or` and of a condition those of its last."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Name(id=name):
            return names.get(name, [])
        case ast.IfExp(body=body, orelse=other):
            return _words(body, names) or _words(other, names)
        case ast.List() | ast.Tuple() | ast.Starred() | ast.BinOp(op=ast.Add()):
            return [word for inner in ast.iter_child_nodes(node) for word in _words(inner, names)]
        case ast.JoinedStr(values=values):
            parts = [_words(value, names) for value in values]
            return ["".join(word for part in parts for word in part)] if all(len(p) == 1 for p in parts) else []
        case ast.FormattedValue(value=ast.Attribute(value=ast.Name(id="session"), attr="python")):
            return [f"3.{sys.version_info.minor}"]
        case ast.Call(func=ast.Attribute(attr="dependency_groups"), args=[_, *groups]):
            found = (group for each in groups for group in _words(each, names))
            return [word for group in found for word in ("--group", group)]
        case (
            ast.BoolOp(values=[*_, inner])
            | ast.FormattedValue(value=inner)
            | ast.Call(func=ast.Name(id="str"), args=[inner])
        ):
            return _words(inner, names)
    return []


def _table(node: ast.expr | None, names: Names) -> dict[str, str]:
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    read = ((key, _words(value, names)) for key, value in pairs if isinstance(key, ast.Constant))
    return {str(key.value): words[0] for key, words in read if words}
