"""Types of columns that mean the same on SQLite and PostgreSQL."""

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, Dialect, Integer, TypeDecorator

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
