"""`bouncer worker`: the process that judges."""

import os
import signal
import sys
import threading

import click

from bot.commands.shared import tell
from bot.errors import PlainError
from bot.github.errors import GitHubError
from bot.settings import Settings, load
from bot.telemetry import logs, metrics, traces
from bot.workflows.worker import Worker, WorkerLost

BAD_INPUT = 2
BETWEEN_LOOKS = 0.5  # seconds between two looks for an App that is being set up
POLITENESS = 5  # added to the process' niceness: acknowledging a delivery goes before judging one


@click.command()
def worker() -> None:
    """Take stored deliveries and judge them, until a signal ends it.

    Migrates the database first. SIGTERM and SIGINT let running judgements finish. Exit status 2 when a setting, the
    database, GitHub's refusal of the App's key or another worker of the same id makes work impossible.
    """
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, frame: ending.set())
    os.nice(POLITENESS)
    try:
        settings = load()
        logs.set_up(settings)
        metrics.serve(settings)
        traces.set_up("bouncer-worker")
        if settings.setup and not settings.has_app:
            settings = wait_for_app(ending) or settings
            logs.set_up(settings)  # now it knows the App's secrets
        status = 0 if ending.is_set() else work(Worker(settings), ending)
    except PlainError as error:
        tell(f"bouncer worker: {error}")
        status = BAD_INPUT
    traces.shut_down()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # a judgement that outlived its time is resumed at the next start; its thread need not end


def wait_for_app(ending: threading.Event) -> Settings | None:
    """The settings once `/setup` has written an App's; `None` when it is told to end before."""
    click.echo("Waiting for an App: open the link that the web process shows.")
    sys.stdout.flush()
    while not ending.wait(BETWEEN_LOOKS):
        if (settings := load()).has_app:
            return settings
    return None


def work(worker: Worker, ending: threading.Event) -> int:
    """The exit status."""
    worker.start()
    click.echo("Working.")
    sys.stdout.flush()
    try:
        worker.run(ending)
    except GitHubError as error:
        tell(f"bouncer worker: GitHub does not accept the App: {error}. Run `bouncer doctor`.")
        return BAD_INPUT
    except WorkerLost as error:
        tell(f"bouncer worker: {error} Starting again helps.")
        return 1
    finally:
        worker.stop()
    return 0
