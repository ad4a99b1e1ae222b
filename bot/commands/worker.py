"""`bouncer worker`: the process that judges."""

import os
import signal
import sys
import threading

import click

from bot.errors import PlainError
from bot.github.errors import GitHubError
from bot.settings import load
from bot.telemetry import logs, metrics
from bot.workflows.worker import Worker, WorkerLost

BAD_INPUT = 2
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
        status = work(Worker(settings), ending)
    except PlainError as error:
        click.echo(f"bouncer worker: {error}", err=True)
        status = BAD_INPUT
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # a judgement that outlived its time is resumed at the next start; its thread need not end


def work(worker: Worker, ending: threading.Event) -> int:
    """The exit status."""
    worker.start()
    click.echo("Working.")
    sys.stdout.flush()
    try:
        worker.run(ending)
    except GitHubError as error:
        click.echo(f"bouncer worker: GitHub does not accept the App: {error}. Run `bouncer doctor`.", err=True)
        return BAD_INPUT
    except WorkerLost as error:
        click.echo(f"bouncer worker: {error} Starting again helps.", err=True)
        return 1
    finally:
        worker.stop()
    return 0
