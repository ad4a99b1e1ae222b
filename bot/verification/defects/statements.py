"""What a change touches beside functions and constants: statements, which are left out to see who notices."""

from collections.abc import Collection, Mapping

from bot.changes.kinds import is_code, kind_of
from bot.changes.syntax import is_docstring, tree
from bot.child_process import TooLong, run_in_child
from bot.verification.defects.defect import FEW, Defect, DefectKind, Places
from bot.verification.files.index import OF_TOOLS
from bot.verification.programs import content
from bot.verification.syntax import Function
from bot.verification.values import Program

_Statement = tuple[bool, tuple[int, int], tuple[int, int]]  # whether it imports; its first and last line; its bytes


def statements(program: Program, changed: Mapping[str, Collection[int]], known: Places) -> Places:
    """Of each file in whose changed lines nothing else is known that could be broken but texts: the statements there,
    each left out; imports where there is nothing else, and all of the file where there is none. Of what tools read,
    nothing: the environment was made with it.

    changed: path -> lines, from 1.
    """
    able = {place.path for place, its in known.items() if any(each.kind is not DefectKind.TEXT for each in its)}
    found: Places = {}
    for path in sorted(changed.keys() - able):
        if not is_code(path) or kind_of(path) in OF_TOOLS:
            continue
        source = content(program, path) or b""
        texts = {line for place in known if place.path == path for line in range(place.first, place.last + 1)}
        free = set(changed[path]) - texts
        there = _statements(path, source) if len(source) <= FEW else run_in_child(_statements, path, source)
        lines = [] if isinstance(there, TooLong) else there
        touched = [each for each in lines if not free.isdisjoint(range(each[1][0], each[1][1] + 1))]
        whole = (False, (1, source.count(b"\n") + 1), (0, len(source)))
        chosen = [each for each in touched if not each[0]] or touched or ([whole] if free else [])
        for _, (first, last), span in chosen:
            place = Function(path, str(min(free.intersection(range(first, last + 1)), default=first)), first, last)
            text = source[slice(*span)]
            told = f"{place.called}: {text[:80].decode(errors='replace').strip()} → nothing"
            found[place] = [Defect(path, span, b"\n" * text.count(b"\n"), DefectKind.VALUE, place, told)]
    return found


def _statements(path: str, source: bytes) -> list[_Statement]:
    """Those that stand in no other."""
    root = tree(path, source)
    return [
        (
            "import" in node.type or node.type.startswith(("use_", "package_")),
            (node.start_point.row + 1, node.end_point.row + 1),
            (node.start_byte, node.end_byte),
        )
        for node in (root.named_children if root else ())
        if "comment" not in node.type and not is_docstring(node)
    ]
