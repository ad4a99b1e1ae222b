"""The version before is killed between two steps of every kind, and this one takes on what it left.

Many stories happen in one database. Each subject's run stops at a moment of its own. When all have, one kill -9 ends
the old version, and the new one starts.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from traceback import extract_tb

import pytest
import sqlalchemy as sa

from tests.crash.before import Before, Moment, Passed
from tests.crash.fleet import Fleet
from tests.crash.stopping import BEGUN, ENDED
from tests.crash.stories import OF_ISSUES, OF_PULLS, STORIES, Story, Subject
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH
from tests.support.waiting import eventually

pytestmark = pytest.mark.crash

TOGETHER = (OF_ISSUES, OF_PULLS) if EVERY_DEATH else (STORIES,)  # a run that stops keeps a thread
THREADS = "48"
OWN_LABELS = {"pull_request.labeled", "pull_request.unlabeled"}  # heard of sooner or later, and nothing comes of them
PATIENCE = 900 if EVERY_DEATH else 180  # seconds


@dataclass(frozen=True)
class Part:
    """A subject in its story. stop: where its run does; at no moment where there is none."""

    story: Story
    subject: Subject
    stop: Moment | None

    @property
    def place(self) -> tuple[str, int]:
        """What a run at the moment says it is about: the policy's is about the repository."""
        about_policy = self.stop is not None and self.stop.workflow == "policy"
        return self.subject.repository, 0 if about_policy else self.subject.number

    @property
    def name(self) -> str:
        return f"{self.story.name}, stopped at {self.stop}"


@pytest.mark.parametrize("stories", TOGETHER, ids=lambda stories: stories[-1].name)
@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_what_the_version_before_left_is_finished(database_url: str, stories: Sequence[Story], tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path, migrated=False) as fleet:
        fleet.environment |= {"BOUNCER_CACHE_DIR": str(tmp_path / "cache")}
        before = Before(tmp_path, fleet.environment | {"BOUNCER_WORKER_THREADS": THREADS})
        try:
            parts = stop_everywhere(fleet, before, stories)
        finally:
            before.kill()
        parts = [replace(each, subject=replace(each.subject, begun=has_begun(each.subject))) for each in parts]
        for part in parts:
            part.story.meanwhile(part.subject)
        fleet.start("serve")
        fleet.start("worker")
        fleet.wait_for_web()
        fleet.redeliver()
        fleet.settle(PATIENCE)
        found = failed_runs(fleet) + wrong(parts)
        assert not found, "\n".join(found)


def test_the_short_run_hands_over_the_value_of_every_step() -> None:
    steps = {moment[::2] for story in STORIES for moment in story.moments if moment.step not in (BEGUN, ENDED)}
    stored = {moment[::2] for story in STORIES for stop in brief(story) for moment in up_to(stop, story)}
    assert steps - stored == set()


def has_begun(subject: Subject) -> bool:
    """Whether Bouncer said anything there."""
    return bool(subject.seen.bouncer_comments)


def up_to(stop: Moment, story: Story) -> list[Moment]:
    """What the run that stops there has passed."""
    run = [moment for moment in story.moments if moment[:2] == stop[:2]]
    return run[: run.index(stop) + 1]


def stop_everywhere(fleet: Fleet, before: Before, stories: Sequence[Story]) -> list[Part]:
    """Every story up to where it stops, in the version before."""
    parts = list(cast(fleet, stories))
    before.stop_at(plan(part for part in parts if part.story.after is None))
    before.start()
    fleet.wait_for_web()
    fleet.github.webhook_url = f"http://127.0.0.1:{fleet.port}/webhook"
    fleet.redeliver()
    later = [part for part in parts if part.story.after is not None]
    wait_for(before, later, lambda part, so_far: part.story.after in passed(part, so_far))
    before.stop_at(plan(parts))
    for part in later:
        part.story.then(part.subject)
    wait_for(before, parts, has_stopped)
    for part in parts:
        if part.stop is None:
            more = since(part, before.passed()) - set(part.story.moments)
            assert {moment.occasion for moment in more} <= OWN_LABELS, f"{part.story.name}: list {more}"
    return parts


def cast(fleet: Fleet, stories: Sequence[Story]) -> Iterator[Part]:
    """A subject for each moment of every story, and one that stops nowhere; no webhook is heard so far."""
    places = [(story, stop, repository_of(story, at)) for story in stories for at, stop in enumerate(stops(story))]
    homes = {repository: story for story, _, repository in places}
    for repository, story in homes.items():
        fleet.github.create_repository(repository, files=story.files)
        if story.fix:
            fleet.github.push(repository, story.fix, message="half: take plain numbers, not lists")
    fleet.github.install("acme", list(homes))
    for story, stop, repository in places:
        yield Part(story, Subject(fleet, repository, story.begin(fleet, repository)), stop)


def repository_of(story: Story, at: int) -> str:
    return f"acme/{story.name}-{at}" if story.alone else f"acme/{story.name}"


def stops(story: Story) -> list[Moment | None]:
    """All moments and none at all; the short run does with fewer."""
    return [None, *story.moments] if EVERY_DEATH else [*brief(story)]


def brief(story: Story) -> list[Moment]:
    """Those that execute nothing stop everywhere, the others behind what is dear and at the end."""
    first = {f"{moment.workflow} {moment.step}": moment for moment in reversed(story.moments)}
    return [first[name] for name in story.brief]


def plan(parts: Iterable[Part]) -> dict[tuple[str, int], Moment]:
    return {part.place: part.stop for part in parts if part.stop}


def wait_for(before: Before, parts: list[Part], there: Callable[[Part, list[Passed]], bool]) -> None:
    """Until all parts are there, by what was passed so far, or a process of the version before has ended."""

    def missing() -> list[str]:
        so_far = before.passed()
        return [part.name for part in parts if not there(part, so_far)]

    eventually(lambda: not before.alive() or not missing(), seconds=PATIENCE, every=0.1)
    assert before.alive() and not missing()


def has_stopped(part: Part, so_far: list[Passed]) -> bool:
    """Or has passed all of its story."""
    if part.stop is not None:
        return any(each.stopped and (each.repository, each.number) == part.place for each in so_far)
    return part.story.after in (None, *passed(part, so_far)) and since(part, so_far) >= set(part.story.moments)


def passed(part: Part, so_far: list[Passed]) -> list[Moment]:
    """By its subject; by its repository's policy as well, where the story is about that."""
    numbers = (part.subject.number, 0) if part.story.alone else (part.subject.number,)
    places = [(part.subject.repository, number) for number in numbers]
    return [each.moment for each in so_far if (each.repository, each.number) in places]


def since(part: Part, so_far: list[Passed]) -> set[Moment]:
    """What it passed since its story was ready for it."""
    moments = passed(part, so_far)
    return set(moments[moments.index(part.story.after) + 1 :] if part.story.after else moments)


def failed_runs(fleet: Fleet) -> list[str]:
    """Runs that ended in an error, or say so: what was stored could not be read."""
    schema = None if fleet.engine.dialect.name == "sqlite" else "dbos"
    with fleet.engine.connect() as connection:

        def rows(table: str, what: str) -> list[tuple[str, str]]:
            found = sa.table(table, sa.column("workflow_uuid"), sa.column(what), schema=schema)
            return [(run, str(value)) for run, value in connection.execute(sa.select(found))]

        broken = [f"{run}: {status}" for run, status in rows("workflow_status", "status") if status != "SUCCESS"]
        said = [f"{run}: {outcome}" for run, outcome in rows("workflow_output", "output") if "failed" in outcome]
    return broken + said


def wrong(parts: list[Part]) -> list[str]:
    """Of every subject that is not as it has to be."""
    found = []
    for part in parts:
        try:
            part.story.right(part.subject)
        except (AssertionError, ValueError) as error:
            line = extract_tb(error.__traceback__)[-1].line
            found.append(f"{part.name}: {line} {error} - {part.subject}")
    return found
