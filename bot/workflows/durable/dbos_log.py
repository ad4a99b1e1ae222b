"""What dbos says, in our log and in our words."""

import logging

import sqlalchemy as sa

_OF_THE_DATABASE = ("sqlalche.me", "server closed the connection")  # what is in a message of dbos that tells of it


def quiet_logger() -> None:
    """Send dbos' log where ours goes. Its own handler and its advert for a hosted console never appear.

    dbos adds a handler of its own only when its logger has none.
    """
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = True
    logger.filters = [in_a_line]


def in_a_line(record: logging.LogRecord) -> bool:
    """A database that is away is no failure of dbos: a line says so, without the statement and where it was called."""
    said = record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, sa.exc.SQLAlchemyError) or any(word in said for word in _OF_THE_DATABASE):
        what = said.partition("\n")[0].replace("Traceback (most recent call last):", "the database does not answer")
        record.msg, record.args = what if error is None else f"{what} {type(error).__name__}", ()
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True
