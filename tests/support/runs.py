"""What became of runs, in all workers together, as the engine keeps them. One process has one engine."""

from dbos import DBOS, WorkflowStatus

from bot.workflows.durable.engine import FINISHED


def outcome(run_id: str) -> str | None:
    """The line a finished run ended with; `None` while it is unknown or unfinished, `failed` if it raised."""
    found = DBOS.list_workflows(workflow_ids=[run_id], status=FINISHED)
    return _ended(found[0]) if found else None


def outcomes(prefix: str) -> list[str]:
    """How all finished runs ended whose id begins so, oldest first."""
    return [_ended(run) for run in DBOS.list_workflows(workflow_id_prefix=prefix, status=FINISHED)]


def count_unfinished() -> int:
    """How many run, wait for their turn or wait for their hour."""
    return len(DBOS.list_workflows(status=["ENQUEUED", "PENDING", "DELAYED"]))


def count_delayed() -> int:
    """How many of them wait for their hour."""
    return len(DBOS.list_workflows(status="DELAYED"))


def _ended(run: WorkflowStatus) -> str:
    return str(run.output) if run.status == "SUCCESS" else "failed"
