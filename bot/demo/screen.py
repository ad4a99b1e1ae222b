"""The demo on the terminal."""

from collections.abc import Iterable

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from bot.demo.play import HEADINGS, DemoStep
from bot.demo.scenario import REPOSITORY
from bot.demo.server import House
from bot.plain_text import clean
from bot.rendering.issue_page import issue_page, verdict_word
from bot.rendering.issue_view import verdict_view
from bot.storage.ledger import Entry
from bot.verdicts import State


def show_steps(console: Console, house: House, steps: Iterable[DemoStep]) -> None:
    """Print each step as it happens; a spinner stands where Bouncer is still thinking."""
    console.print(Text.assemble(("Bouncer", "bold"), " on this machine alone: nothing here reaches the network.\n"))
    console.print(Text.assemble("  a GitHub to play with  ", _link(f"{house.github.web_url}/{REPOSITORY}/issues")))
    console.print(Text.assemble("  Bouncer itself         ", _link(house.url), "  gunicorn, a worker, SQLite"))
    status = console.status("Bouncer is reading …")
    story = ""
    try:
        for step in steps:
            status.stop()
            if step.story != story:
                story = step.story
                console.print(Text(f"\n{HEADINGS[story]}", "bold"))
            if step.left_alone:
                console.print(Text.assemble("   ", (_left_alone(step.left_alone), "bold")))
            elif step.decision is None:
                console.print()
                console.print(Text.assemble((f"#{step.number} ", "bold cyan"), f"{step.who} {step.what}"))
                opening, more, _ = step.text.partition("\n\n")
                console.print(Padding(Text(clean(opening) + (" …" if more else ""), "italic"), (0, 0, 0, 3)))
                if not console.record:  # a picture would keep every turn of the spinner
                    status.start()
            else:
                console.print(Padding(verdict_view(step.decision.verdict, step.title), (0, 0, 0, 3)))
                console.print(Text.assemble("   Bouncer writes: ", (_written(step.decision), "bold")))
                console.print(Text.assemble("   ", _link(step.url)))
                if step.page:
                    console.print(Text.assemble("   ", _link(step.page)))
    finally:
        status.stop()


def show_farewell(console: Console, house: House) -> None:
    """What to do next while everything stays up."""
    url = f"{house.github.web_url}/{REPOSITORY}"
    console.print(Text("\nYour turn", "bold"))
    console.print(Text.assemble("  open an issue of your own, and watch:\n    ", _link(f"{url}/issues/new")))
    console.print(Text.assemble("  override, merge or answer as maintainer:\n    ", _link(f"{url}/pulls")))
    console.print(Text("Ctrl-C ends it and leaves nothing behind.", "dim"))


def _written(decision: Entry) -> str:
    """What stands on GitHub now; where that is nothing, the word for it that the page has."""
    _, word = verdict_word(decision.verdict)
    return "; ".join(decision.applied) or f"nothing ({word})"


def _left_alone(why: str) -> str:
    """As its page says it."""
    return issue_page(None, state=State.ACTIVE, held=False, left_alone=why).standing.sentence


def _link(url: str) -> tuple[str, str]:
    return (url, f"underline blue link {url}")
