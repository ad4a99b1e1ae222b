"""The file of settings that `bouncer setup` writes: `NAME=value` a line, for nobody but its owner.

It lies in the home directory, never in the directory where a command is started: that may be a stranger's repository.
"""

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path

from dotenv import dotenv_values

from bot.errors import PlainError

VARIABLE = "BOUNCER_SETTINGS_FILE"
USUAL = "~/.config/bouncer/app.env"
MODE = 0o600


class SettingsError(PlainError):
    """The settings cannot be used. The message names each variable with its mend and holds no value of any."""


def place() -> Path | None:
    """Where the file is or would be; `None` where the variable is empty, or there is no home."""
    named = os.environ.get(VARIABLE, USUAL).strip()
    if not named:
        return None
    try:
        return Path(named).expanduser().absolute()
    except RuntimeError:  # no home directory
        return None


def require_place() -> Path:
    """Where credentials are kept. Raises SettingsError where there is no place."""
    path = place()
    if path is None:
        raise SettingsError(f"There is no place for the credentials. Set {VARIABLE} to a file's path.")
    return path


def values() -> dict[str, str]:
    """What the file says, by the name of the variable, where the environment says nothing; a variable that is set to
    nothing, as container tools do, says nothing. Raises SettingsError where the file cannot be read as text."""
    path = place()
    try:
        text = path.read_text("utf-8") if path is not None and path.is_file() else ""
    except OSError as error:
        mend = f"Give Bouncer's user the right to read it, or name another with {VARIABLE}."
        raise SettingsError(f"{path} cannot be read: {error.strerror}. {mend}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is no text. Name another file with {VARIABLE}.") from None
    found = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in found.items() if value and not os.environ.get(name)}


def lines(values: Mapping[str, str]) -> list[str]:
    """As a file or a shell takes them: a value of several lines stands on one, with `\\n` for each end."""
    return [f"{name}={value.strip().replace(chr(10), chr(92) + 'n')}" for name, value in values.items()]


def check_writable(path: Path) -> None:
    """Raises SettingsError unless `write` would succeed; leaves nothing behind but the directory."""
    _replace(path, None)


def write(path: Path, values: Mapping[str, str]) -> None:
    """Put these into the file, in place of what it had under the same names; other lines stay. Whole or not at all.

    Raises SettingsError.
    """
    _replace(path, values)


def _replace(path: Path, values: Mapping[str, str] | None) -> None:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = path.read_text("utf-8").splitlines() if path.exists() else []
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE), "w", encoding="utf-8") as file:
            if values is not None:
                others = [line for line in kept if line.partition("=")[0].strip() not in values]
                file.write("\n".join([*others, *lines(values)]) + "\n")
                file.flush()
                os.fsync(file.fileno())
        if values is not None:
            draft.replace(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or type(error).__name__
        raise SettingsError(f"{path} cannot be written: {reason}. Name another file with {VARIABLE}.") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
