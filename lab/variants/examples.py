"""Versions of a change that work for the issue's example alone: by the right code, or by its answer written down."""

import ast
from collections.abc import Iterator, Sequence

from bot.verification.literals import Example, examples_in, exception, interface_of
from bot.verification.syntax import parse
from lab.variants.splice import Function, body_of, functions, replace_nodes, text_of


def narrow(before: str, after: str, issue: str) -> Iterator[str]:
    """The source `after`, where what changed in the example's function happens for the example's values alone.

    Where several arguments are given, also for each of them alone, whatever the others are.
    Raises `SyntaxError` and the like where a source cannot be read.
    """
    old, new = functions(before), functions(after)
    for example in examples_of(before, issue):
        name = example.call.function
        if name not in new or name not in old or ast.dump(old[name].args) != ast.dump(new[name].args):
            continue
        if ast.dump(old[name]) == ast.dump(new[name]):
            continue  # what it calls was changed
        for condition in _conditions(example):
            both = body_of(new[name]), body_of(old[name])
            if all(both):
                yield _with_body(after, new[name], [ast.If(condition, *both)])


def special_cased(before: str, issue: str) -> Iterator[str]:
    """The source `before` with the example's answer written down for the example's values.

    Raises `SyntaxError` and the like where it cannot be read.
    """
    old = functions(before)
    for example in examples_of(before, issue):
        function = old[example.call.function]
        for condition in _conditions(example)[:1]:
            case = ast.If(condition, [_answer(example)], [])
            yield _with_body(before, function, [case, *body_of(function)])


def examples_of(source: str, issue: str) -> tuple[Example, ...]:
    """The issue's examples of the module's functions, each call once: those that the text demands, else all."""
    interface = interface_of(source, "module")
    found = tuple(examples_in(issue, interface)) or tuple(examples_in(issue, interface, tried=True))
    return tuple({example.call: example for example in found}.values())


def _conditions(example: Example) -> list[ast.expr]:
    """That all arguments are the example's; where there are several, also that one of them is."""
    equal = [parse(f"{name} == {value}", mode="eval").body for name, value in example.call.arguments]
    if len(equal) < 2:
        return equal
    return [ast.BoolOp(ast.And(), equal), *equal]


def _answer(example: Example) -> ast.stmt:
    raised = exception(example.expected)
    return parse(f"raise {raised}" if raised else f"return {example.expected}").body[0]


def _with_body(source: str, function: Function, body: Sequence[ast.stmt]) -> str:
    old = body_of(function)
    return replace_nodes(source, old[0], old[-1], text_of(body)) if old else source
