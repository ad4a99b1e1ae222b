"""The release from which on a change is in. Reads an index."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from bot.history.database import numbered
from bot.history.refs import first, version
from bot.history.relations import History


@dataclass(frozen=True, slots=True)
class Released:
    """upgrade: the version to upgrade to; `None`: not released yet. others: the first version of each other line of
    history that has the change, such as a back-port's, oldest first."""

    upgrade: str | None
    others: tuple[str, ...]


def releases(
    history: History, heads: Mapping[int, int], tags: Mapping[str, str], reported: int | None, before: Set[int]
) -> dict[int, Released]:
    """For each of these changes, each with its newest commit. before: all that is in the reported revision.

    A version has a change that stands in it, and in every later version that ever had it. The one to upgrade to is the
    oldest behind the reported revision: it contains that, or else is later than every version in it. Where none is
    reported, it is the oldest that contains the change's own commit.
    """
    numbers = numbered(history.database, set(tags.values()))
    tagged = {name: numbers[sha] for name, sha in tags.items() if sha in numbers}
    asked = list(dict.fromkeys([*heads.values(), *(turn for unit in heads for turn in history.turns(unit))]))
    held = history.graph.containing([*asked, *([reported] if reported else [])], len(history.units) - 1)
    containing = {name for name, number in tagged.items() if held[number] >> len(asked)}
    beyond = _beyond(tagged, (name for name, number in tagged.items() if number in before))
    bit = {number: 1 << at for at, number in enumerate(asked)}
    found = {}
    for unit, head in heads.items():
        turns = {head: True, **history.turns(unit)}
        last = {
            name: max((turn for turn in turns if held[number] & bit[turn]), default=0)
            for name, number in tagged.items()
        }
        lost = [name for name, turn in last.items() if turn and not turns[turn]]
        has = _beyond((name for name, turn in last.items() if turn and turns[turn]), lost)
        lines = {turn: first(name for name in has if held[tagged[name]] & bit[turn]) for turn in turns if turns[turn]}
        upgrade = first(has & containing or has & beyond) if reported else lines[head]
        others = {name for name in lines.values() if name and name != upgrade}
        found[unit] = Released(upgrade, tuple(sorted(others, key=lambda name: (version(name) or (), name))))
    return found


def _beyond(names: Iterable[str], others: Iterable[str]) -> set[str]:
    """The versions that are later than all of the others."""
    orders = [order for name in others if (order := version(name))]
    return {name for name in names if (order := version(name)) and (not orders or order > max(orders))}
