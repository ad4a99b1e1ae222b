"""The settings of a command that runs code on somebody's own machine."""

import os
from pathlib import Path

from bot.settings import Settings, load


def own_settings(**given: str | None) -> Settings:
    """The settings; what is given beats the environment, `None` is not given. Raises `SettingsError`.

    Source code and environments lie in the user's cache, unless the settings say where: here may be anywhere.
    """
    settings = load(**{name: value for name, value in given.items() if value is not None})
    if "cache_dir" in settings.model_fields_set:
        return settings
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bouncer"
    return settings.model_copy(update={"cache_dir": cache})
