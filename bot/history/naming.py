"""Which changes name a report's number."""

import sqlite3
from collections.abc import Set

from bot.history.values import Sought

_MOST = 10  # issues; a change that names more lists them, as releases do


def naming(database: sqlite3.Connection, sought: Sought, pool: Set[int]) -> dict[int, bool]:
    """The changes of `pool` that name it in a message, a merged pull request or a changelog -> whether one says that it
    closes it. Issues of other repositories do not count where `sought` tells which its own is."""
    if sought.number is None:
        return {}
    own = sought.repository.lower()
    rows = database.execute(
        "select a.unit, a.repository, a.closes, (select count(*) from names b where b.unit = a.unit) from names a"
        " where a.number = ? union all select id, '', 0, 1 from units where pull = ?",
        (sought.number, sought.number),
    )
    found: dict[int, bool] = {}
    for unit, repository, closes, beside in rows:
        foreign = repository and own and repository != own
        if unit in pool and not foreign and (closes or beside <= _MOST):
            found[unit] = found.get(unit, False) or bool(closes)
    return found
