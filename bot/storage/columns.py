"""Types of columns that mean the same on SQLite and PostgreSQL."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, DateTime, Dialect, Float, Integer, Text, TypeDecorator

BigInt = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER may be SQLite's row id


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite itself would silently drop the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def columns(kind: Any, *names: str, nullable: bool = False, **options: Any) -> Iterable[Column[Any]]:
    """Columns of one kind."""
    return [Column(name, kind, nullable=nullable, autoincrement=False, **options) for name in names]


text = partial(columns, Text)
number = partial(columns, BigInteger)
count = partial(columns, Integer)
amount = partial(columns, Float)
flag = partial(columns, Boolean)
moment = partial(columns, Moment)
