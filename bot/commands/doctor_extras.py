"""What is looked at only where it is switched on: signed statements, and traces."""

from collections.abc import Iterator

from bot.commands.doctor_lines import CheckLine, fails, passes, warns
from bot.settings import Settings, SettingsError
from bot.statements.keys import key_id, signing_key
from bot.telemetry import traces


def extra_lines(settings: Settings) -> Iterator[CheckLine]:
    """None where neither is."""
    try:
        if (key := signing_key(settings)) is not None:
            yield passes("statements", f"signed with the key {key_id(key.public_key())[:12]}")
    except SettingsError as error:
        yield fails("statements", str(error).rstrip("."), "docs/statements.md says how the key is made.")
    if problem := traces.problem():
        says, _, mend = problem.partition(". ")
        yield warns("traces", says, mend)
    elif place := traces.destination():
        yield passes("traces", f"sent to {place}")
