"""`bouncer demo`: the whole product on loopback."""

import json
import signal

import click
from rich.console import Console

from bot.commands.shared import Refusing
from bot.demo.play import ALL, SHORT, outcome, play
from bot.demo.screen import show_farewell, show_steps
from bot.demo.server import house


@click.command(cls=Refusing, said="demo")
@click.option("--all", "longer", is_flag=True, help="Also play the stories that repeat a kind of answer.")
@click.option("--story", "stories", multiple=True, type=click.Choice(ALL), help="Only this story; may be given again.")
@click.option("--once", is_flag=True, help="End after the scenario instead of staying up.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object about the outcome; the rest to stderr.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of the fake GitHub's pages; 0: a free one."
)
def demo(longer: bool, stories: tuple[str, ...], once: bool, as_json: bool, port: int) -> None:
    """Show Bouncer at work on this machine: a fake GitHub, the real server and worker, issues and pull requests.

    Needs no key and no network. Exit status 1 when Bouncer did not start or did not answer.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job inherits SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    console = Console(stderr=as_json)
    try:
        with house(port) as place:
            show_steps(console, place, play(place, stories or (ALL if longer else SHORT)))
            if as_json:
                click.echo(json.dumps(outcome(place), indent=2, ensure_ascii=False))
            if not once:
                show_farewell(console, place)
                place.wait()
    except KeyboardInterrupt:
        console.print("\nEnded.")
