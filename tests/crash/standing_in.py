"""`bouncer worker` with stand-ins for the judges and for what executes: it does in milliseconds what takes minutes.

All else is real: the process, the engine, the database, PyGithub. Files of its directory steer it: its clock is ahead
by the seconds in `ahead`; the judge does not answer while there is `away`; where there is `stops`, a run stops for ever
at a place where no run has stopped before (`Stops`).
"""

import json
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dbos import DBOS

from bot.already_fixed.finding import FixFinding
from bot.already_fixed.values import Fixed
from bot.commands.worker import work
from bot.errors import PlainError
from bot.github.channel import Credential
from bot.judges.protocol import Judgement, NoJudgement
from bot.reports import Report
from bot.settings import load
from bot.telemetry import logs
from bot.verification.evidence import HeadTrial
from bot.verification.execution import RejectedChange
from bot.verification.patch_evidence import ExampleRuns
from bot.workflows import policy_check
from bot.workflows import worker as engine_room
from bot.workflows.durable import engine
from bot.workflows.fix_finder import Suspect
from bot.workflows.verifier import ExecutionRequest
from bot.workflows.worker import Worker
from tests.workflows.already_fixed import ALREADY, FAILS, PASSES, PRESENT, SHOWN
from tests.workflows.house import UNKNOWN, Looked, PlainJudge, PlainReviewer, Told
from tests.workflows.test_gate import BREAKS, MENDS

BEGUN, DONE, STORED, ENDED = "begun", "done, not stored", "stored", "ended"
BREAKING, BROKEN = "breaks", "broken"  # in a repository's name: its changes break a test; Bouncer breaks down over it
FIXED, HOLDING = "It is fixed.", "It is not fixed."  # in a report: what looking for its fix finds

Place = tuple[str, str, str, str]  # workflow, occasion, step, moment


def occasion(job: dict[str, Any]) -> str:
    """What brings the run about: an event, for a comment with its first line, or else why it runs."""
    delivery = job.get("delivery")
    if not delivery:
        return str(job.get("why", ""))
    said = ((delivery.get("comment") or {}).get("body") or "").partition("\n")[0]
    return f"{delivery['event']}.{delivery['action']} {said}".strip()


class Stops:
    """Where runs stop: at the first run's arrival at each place, if `wanted` is there. What is passed is added to
    `passed`, and where a run stopped to `stopped`, a line each."""

    def __init__(self, directory: Path) -> None:
        self._wanted, self._stopped = directory / "stops", directory / "stopped.jsonl"
        self._lock = threading.Lock()
        self._run = threading.local()
        lines = self._stopped.read_text().splitlines() if self._stopped.exists() else []
        self._known = {tuple(json.loads(line)) for line in lines}

    def install(self) -> None:
        """Have dbos tell of every run and step."""
        workflow, run_step = DBOS.workflow, DBOS.run_step

        def told_workflow(**options: Any) -> Callable[[Callable[[str], str]], Callable[[str], str]]:
            return lambda run: workflow(**options)(self._told(options["name"], run))

        def told_step(options: Any, effect: Callable[[], Any]) -> Any:
            def done() -> Any:
                value = effect()
                self._pass(options["name"], DONE)
                return value

            value = run_step(options, done)
            self._pass(options["name"], STORED)
            return value

        DBOS.workflow, DBOS.run_step = told_workflow, told_step  # type: ignore[method-assign,assignment]

    def _told(self, name: str, run: Callable[[str], str]) -> Callable[[str], str]:
        def told(argument: str) -> str:
            self._run.what = name, occasion(json.loads(argument))
            self._pass("", BEGUN)
            outcome = run(argument)
            self._pass("", ENDED)
            return outcome

        told.__qualname__ = name
        return told

    def _pass(self, step: str, moment: str) -> None:
        place = *getattr(self._run, "what", ("", "")), step, moment
        with self._lock:
            if place in self._known or not self._wanted.exists():
                return
            self._known.add(place)
            with self._stopped.open("a") as file:
                file.write(f"{json.dumps(place)}\n")
        threading.Event().wait()


@dataclass
class QuickJudge(PlainJudge):
    """Does not answer while there is a file."""

    unless: Path = Path()

    def judge(self, report: Report) -> Judgement | NoJudgement:
        self.away = NoJudgement(self.name, "the model is down", retry=True) if self.unless.exists() else None
        return super().judge(report)


class QuickVerifier(Told):
    """Says by the repository's name what became of a change, and by an issue's text what its example shows."""

    def check(
        self, wanted: ExecutionRequest, credential: Credential, rejected: RejectedChange | None = None
    ) -> HeadTrial:
        stood = BREAKS if BREAKING in wanted.repository.full_name else MENDS
        failing = tuple(f"{each.name}, {SHOWN.where}: {FAILS.says}" for each in wanted.sources if HOLDING in each.text)
        super().check(wanted, credential, rejected)
        return replace(stood, examples=ExampleRuns(failing))


class QuickExaminer(Looked):
    """Says by the report's text what was found."""

    def examine(self, suspect: Suspect, credential: Credential) -> FixFinding:
        text = suspect.report.body or ""
        found = ALREADY if FIXED in text else PRESENT if HOLDING in text else UNKNOWN
        self.fixed = _just_now(found)
        return super().examine(suspect, credential)


def _just_now(found: Fixed) -> Fixed:
    at = datetime.now(UTC).isoformat()
    return replace(found, candidates=tuple(replace(each, at=at) for each in found.candidates))


def run(directory: str) -> None:
    """In a process of its own, until SIGTERM."""
    place, ending = Path(directory), threading.Event()
    signal.signal(signal.SIGTERM, lambda signum, frame: ending.set())
    settings = load()
    logs.set_up(settings)
    _break_down_over_policies()
    engine_room.HOUSEKEEPING = 0.1
    engine.ALONE = 0.1  # whatever stops here stops for ever, at each death again
    Stops(place).install()

    def now() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float((place / "ahead").read_text() or 0))

    class KeptWorker(Worker):
        """Says when it has looked at the clock."""

        def housekeep(self) -> None:
            super().housekeep()
            (place / "kept").touch()

    worker = KeptWorker(
        settings,
        now,
        poll_seconds=0.2,
        judge=QuickJudge(unless=place / "away"),
        verifier=QuickVerifier(),
        patch_reviewer=PlainReviewer(),
        examiner=QuickExaminer(runs={SHOWN.name: PASSES}),
    )
    try:
        work(worker, ending)
    except PlainError as error:  # as the command does
        sys.exit(f"bouncer worker: {error}")


def _break_down_over_policies() -> None:
    report = policy_check.report

    def broken(client: Any, commits: Any, found: Any) -> str:
        if BROKEN in client.repository.full_name:
            raise ValueError("nobody expected this")
        return report(client, commits, found)

    policy_check.report = broken
