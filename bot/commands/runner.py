"""The runner repository that the settings name, for commands that run code."""

from bot.sandbox.actions import RunnerRepository
from bot.settings import Settings


def runner(settings: Settings) -> RunnerRepository | None:
    """`None` where jobs run on this machine anyway."""
    if settings.executor != "actions":
        return None
    from bot.github.actions import from_settings  # PyGithub takes a while to import

    return from_settings(settings)
