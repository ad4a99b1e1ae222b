"""What Go makes of its standard library is made once, of no stranger's code. No run changes it: `test_compiled.py`."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.policy import Verify
from bot.sandbox.protocol import Capabilities, Job, Outcome, Status
from bot.verification.environments.prepare import GO_BUILT, Prepared, Setup, prepare
from bot.verification.values import Origin, Program
from tests.verification.environments.house import settings


@dataclass
class StandIn:
    """An executor that runs nothing. version: what its Go says; it has none where that is empty."""

    version: bytes = b"go version go1.25"
    builds: bool = True
    jobs: list[Job] = field(default_factory=list)
    name = "stand-in"

    def probe(self) -> Capabilities:
        return Capabilities(self.name, "1", usable=True)

    def run(self, job: Job) -> Outcome:
        if job.argv == ("go", "version"):
            return Outcome(Status.EXITED, 0 if self.version else 127, self.version, b"", {}, 0.1, ())
        of_go = "go test" in job.argv[-1]
        if of_go:
            self.jobs.append(job)
            if job.results_into and self.builds:
                (job.results_into / "env" / "go-built").mkdir(parents=True)
        return Outcome(Status.EXITED, 0 if self.builds or not of_go else 1, b"", b"", {}, 1.0, ())


def shown(
    executor: StandIn, cache: Path, code: str = "package a", image: str | None = None, test: str | None = None
) -> list[Path]:
    """What is shown of it to the runs of this version and of a head that changes `go.mod`."""
    base = Program(None, {"go.mod": b"module a\n", "a.go": code.encode()})
    head = Program(None, {**base.files, "go.mod": b"module a\n\ngo 1.25\n"})
    found = prepare(Setup(executor, Verify(image=image, test=test), settings(cache), Origin(code)), base, head)
    assert isinstance(found, Prepared) and found.head
    return [
        mount.host for side in (found.base, found.head) for mount in side.environment.mounts if mount.inside == GO_BUILT
    ]


def test_it_is_made_once_for_all_and_of_no_strangers_code(tmp_path: Path) -> None:
    executor = StandIn()
    (once,) = {*shown(executor, tmp_path), *shown(executor, tmp_path, "package b")}
    assert len(shown(executor, tmp_path)) == 2
    assert [set(job.files) for job in executor.jobs] == [{"go.mod", "probe_test.go"}]
    assert [(job.tree, job.mounts) for job in executor.jobs] == [(None, ())]
    assert once not in shown(executor, tmp_path, test="go test -race ./...")  # which makes all anew
    assert " go test -race ." in executor.jobs.pop().argv[-1]
    executor.version = b"go version go1.26"
    assert once not in shown(executor, tmp_path)


@pytest.mark.parametrize(
    ("executor", "image"), [(StandIn(version=b""), None), (StandIn(builds=False), None), (StandIn(), "golang:1")]
)
def test_without_a_go_that_is_known_nothing_is_shown(executor: StandIn, image: str | None, tmp_path: Path) -> None:
    assert shown(executor, tmp_path, image=image) == []
