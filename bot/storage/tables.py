"""How records stand in tables: each store declares the table of its record beside it, as SQLAlchemy Core metadata.

There are two sets, `main` for the application and `inbox` for deliveries; on SQLite they live in a file each. A new
database is made of them; an older one gets there by migrations, and a test holds that it is the same then.
"""

from collections.abc import Collection
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from types import NoneType
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    Identity,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.schema import SchemaItem

inbox_metadata = MetaData()
main_metadata = MetaData()


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


class EnumValue(TypeDecorator[Enum]):
    """A member of an enumeration, by its value."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__()
        self.kind = kind
        self._members = {None: None} | {each.value: each for each in kind}  # several times as fast as the enumeration

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else str(self.kind(value).value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return self._members[value]


class Json(TypeDecorator[Any]):
    """As pydantic writes it. optional: there may be none, and what another version wrote and this one cannot read is
    none, too: the row stays usable."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any, optional: bool = False) -> None:
        super().__init__()
        self.kind, self.optional = kind, optional
        self._adapter: TypeAdapter[Any] = TypeAdapter(kind)

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else self._adapter.dump_json(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        try:
            return None if value is None else self._adapter.validate_json(value)
        except ValidationError:
            if self.optional:
                return None
            raise


_TYPES: dict[Any, Any] = {int: BigInteger, str: Text, bool: Boolean, float: Float, datetime: Moment}


def table(
    name: str,
    record: Any,
    *parts: SchemaItem,
    primary: str = "",
    index: str = "",
    metadata: MetaData = main_metadata,
    **further: Any,
) -> Table:
    """The table of a record's class: a column for each field, and for each of `further`, by its type; `None` leaves a
    field out. primary, index: the columns of the primary key and those with an index of their own, by name. A table
    without the former has a `row_id`, which is never used twice."""
    types = ({each.name: each.type for each in fields(record)} if record else {}) | further
    keys, indexes = primary.split(), index.split()
    columns = [_column(each, kind, keys, indexes) for each, kind in types.items() if kind is not None]
    columns.sort(key=lambda each: isinstance(each.type, Json))  # what is long stands last, out of the way of the rest
    return Table(name, metadata, *columns, *parts, info={"record": record}, sqlite_autoincrement=not primary)


def _column(name: str, kind: Any, keys: Collection[str], indexes: Collection[str]) -> Column[Any]:
    parts = get_args(kind)
    optional = NoneType in parts
    (wanted,) = (each for each in parts if each is not NoneType) if optional else (kind,)
    if wanted in _TYPES:
        stands = _TYPES[wanted]()
    else:
        chosen = isinstance(wanted, type) and issubclass(wanted, Enum)
        stands = EnumValue(wanted) if chosen else Json(wanted, optional)
    key, indexed = name in keys, name in indexes or None
    return Column(name, stands, primary_key=key, nullable=optional, index=indexed, autoincrement=False)


def row_id(name: str) -> Column[int]:
    """A number that the database gives each row, in ascending order."""
    kind = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER may be SQLite's row id
    return Column(name, kind, Identity(always=True), primary_key=True)
