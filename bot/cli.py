"""The `bouncer` command. Each subcommand lives in `bot/commands/` and is imported only when it is called."""

from importlib import import_module

import click

COMMANDS = {
    "judge": "bot.commands.judge:judge",
    "replay": "bot.commands.replay:replay",
    "policy": "bot.commands.policy:policy",
    "doctor": "bot.commands.doctor:doctor",
    "serve": "bot.commands.serve:serve",
    "worker": "bot.commands.worker:worker",
    "run": "bot.commands.run:run",
    "migrate": "bot.commands.migrate:migrate",
    "demo": "bot.commands.demo:demo",
}


class LazyGroup(click.Group):
    """Knows its commands by name and imports one when it is wanted, so that `bouncer judge` starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bouncer-bot", prog_name="bouncer")
def main() -> None:
    """Bouncer keeps coding agents honest at a repository's two doors."""
