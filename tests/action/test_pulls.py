"""Pull requests in two workflows: run in the real sandbox by one job, judged and shown by the next, overridden by a
comment. The workflow files are the examples, from the head where GitHub takes them from there."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.action.memory import REST, of_pull, of_pulls, pulls_in
from bot.action.pull_memory import CROWDED, UNSEEN
from bot.action.trial_result import FILE, LARGEST
from bot.demo.sample_repository import AGENT, GATED, PullStory
from bot.github.graphql import FORCED
from bot.github.workflow_token import WorkflowClient
from bot.policy_file import PATH
from bot.rendering.gate import NAME
from bot.sandbox.results import read_artifact
from bot.storage.gates import GateState
from fake_github.machines import WorkflowRun
from fake_github.traffic import Exchange
from fake_github.views import CheckView
from tests.action.conftest import ENFORCE, REPOSITORY, Place
from tests.action.runner import PLACE, example_files, woken, zipped
from tests.support.closed import assert_closed
from tests.support.lengths import EVERY_TRICK
from tests.support.sandbox import BUBBLEWRAP

pytestmark = pytest.mark.usefixtures("equal_jobs_run_once")
STORIES = {story.key: story for story in GATED}
PASSED, BLOCKED = STORIES["passed"], STORIES["blocked"]


def propose(place: Place, story: PullStory, *, by: str = AGENT, **more: Any) -> int:
    """The story's pull request, from a fork, as strangers' come."""
    assert BUBBLEWRAP.inner
    issue = place.github.open_issue(REPOSITORY, *story.issue, by="maintainer")
    owner = by.removesuffix("[bot]") + "-home"
    fork = next((each.full_name for each in place.github.repos.values() if each.owner.login == owner), None)
    return place.github.open_pull(
        REPOSITORY,
        story.title,
        {**story.change, **more},
        body=f"Fixes #{issue}",
        by=by,
        source=fork or place.fork(owner),
    )


def test_a_right_change_passes_and_a_wrong_one_waits_for_a_maintainer(place: Place) -> None:
    right = propose(place, PASSED)
    jobs = {job.name: job for job in place.settle()}
    assert check(place, right).conclusion == "success", jobs["verdict"].log
    assert place.mergeable(right) and jobs["verdict"].outputs["decision"] == "ACCEPT"
    assert not any(run.actions for run in place.github.repo(REPOSITORY).checks.values())  # nobody hears of buttons
    assert "GITHUB_TOKEN" not in jobs["trial"].log and jobs["trial"].permissions["contents"] == "read"
    assert_closed(Path(jobs["trial"].steps[-1].environment["BOUNCER_CACHE_DIR"]))

    wrong = propose(place, BLOCKED)
    place.settle()
    shown = check(place, wrong)
    assert shown.conclusion == "failure" and "Bounced" in shown.title
    assert not place.mergeable(wrong)

    place.say(wrong, "/bouncer override I like it.", by="stranger")
    assert not place.mergeable(wrong) and "maintain" in place.spoken(wrong)[-1]
    place.say(wrong, BLOCKED.override, by=AGENT)
    assert not place.mergeable(wrong)
    place.say(wrong, BLOCKED.override, by="maintainer")
    assert check(place, wrong).title == "Overridden by maintainer" and place.mergeable(wrong)

    # Judged again, the override stands; a new commit is not covered by it.
    assert place.runner.again("verdict").succeeded and place.mergeable(wrong)
    place.github.push_to_pull(REPOSITORY, wrong, {}, by=AGENT)
    assert not place.mergeable(wrong)
    place.settle()
    shown = check(place, wrong)
    assert shown.conclusion == "failure" and not place.mergeable(wrong)
    place.say(wrong, "/bouncer explain", by="maintainer")
    assert "How commit" in place.spoken(wrong)[-1]

    # Judged again by what ran before, where it would run alike now.
    place.github.push(REPOSITORY, {"NEWS.md": "The base went on.\n"})
    place.say(right, "/bouncer recheck", by="maintainer")
    assert check(place, right).conclusion == "success"
    place.policy(ENFORCE.replace("test: pytest", "test: pytest -q"))
    place.say(right, "/bouncer recheck", by="maintainer")
    assert "Run its workflow again" in check(place, right).summary and not place.mergeable(right)


def test_a_folder_with_tests_of_its_own_is_judged_by_them(place: Place) -> None:
    half = "def half(n):\n    return n // 2\n"
    tested = "from half import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
    place.github.push(REPOSITORY, {"tools/half.py": half, "tools/test_half.py": tested})
    policy = ENFORCE.replace("test: pytest", "test: pytest tests")
    place.policy(policy + "  paths: [{path: tools, setup: [], test: pytest}]\n")
    pulls = []
    for change in ("n - n // 2", "n + 2"):
        story = replace(PASSED, change={"tools/half.py": half.replace("n // 2", change)}, issue=("Halve", "Rightly.\n"))
        pulls.append(propose(place, story))
        place.settle()
    right, wrong = (check(place, number) for number in pulls)
    assert wrong.conclusion == "failure" and "breaks a test" in wrong.title
    assert "test_half" not in right.title and right.conclusion != "failure"


def check(place: Place, number: int) -> CheckView:
    found = place.check(number)
    assert found is not None, "there is no check"
    return found


def test_a_change_that_replaces_every_workflow_file_is_never_judged(place: Place) -> None:
    """Its trigger is gone, and the workflow that writes the check is the default branch's: the required check waits."""
    theirs: dict[str, Any] = dict.fromkeys(example_files())
    theirs[f"{PLACE}/bouncer-pulls.yml"] = example_files()[f"{PLACE}/bouncer-pulls.yml"].replace(
        "verdict:", "verdict-of-theirs:"
    )
    theirs[f"{PLACE}/theirs.yml"] = (
        "name: Theirs\non:\n  pull_request:\n    types: [opened]\npermissions:\n  contents: read\n"
        "jobs:\n  hello:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo hello\n"
    )
    number = propose(place, PASSED, **theirs)
    jobs = place.settle()
    assert [job.name for job in jobs if job.workflow.endswith("theirs.yml")] == ["hello"]
    assert not [job for job in jobs if "bouncer-pulls" in job.workflow]
    assert place.check(number) is None and not place.mergeable(number)


def test_an_edited_trigger_says_nothing_that_counts(place: Place) -> None:
    """It may run anything under the same name: the check is by the default branch's files and policy, and a change of
    the workflows asks for a person."""
    trigger = f"{PLACE}/bouncer-trigger.yml"
    edited = example_files()[trigger].replace("The verdict is in the check.", "It is fine.")
    number = propose(place, BLOCKED, **{trigger: edited, PATH: "mode: observe\npulls:\n  enabled: false\n"})
    place.settle()
    assert check(place, number).conclusion == "failure" and not place.mergeable(number)


def test_who_was_an_agent_once_stays_one(place: Place) -> None:
    """The sign is forced away, with the commit whose check remembered it; a maintainer's word alone takes it back."""
    signed = replace(BLOCKED, title="Sort upwards\n\nCo-authored-by: Claude <noreply@anthropic.com>")
    number = propose(place, signed, by="contributor")
    place.settle()
    assert check(place, number).conclusion == "failure"
    base = place.github.repo(REPOSITORY).branches["main"]
    place.github.push_to_pull(REPOSITORY, number, dict(BLOCKED.change), by="contributor", message="Sort", onto=base)
    place.github.edit_issue(REPOSITORY, number, title="Sort upwards", by="contributor")
    place.settle()
    shown = check(place, number)
    assert shown.conclusion == "failure" and "counted as a coding agent's before" in shown.summary

    place.say(number, "/bouncer person I know her.", by="contributor")
    assert not place.mergeable(number)
    place.say(number, "/bouncer person I know her.", by="maintainer")
    assert place.mergeable(number) and "a person wrote it" in check(place, number).title
    place.github.push_to_pull(REPOSITORY, number, {}, by=AGENT)
    place.settle()
    assert not place.mergeable(number)


def test_what_was_let_into_one_branch_is_not_let_into_another(place: Place) -> None:
    """Nor where it was said in the very second in which it was pointed elsewhere: that is taken for before."""
    number = propose(place, BLOCKED)
    place.settle()
    second = datetime.now(UTC) + timedelta(seconds=5)
    place.github.clock = lambda: second
    place.github.comment(REPOSITORY, number, BLOCKED.override, by="maintainer")
    place.settle()
    assert place.mergeable(number)
    repo = place.github.repo(REPOSITORY)
    repo.branches["release"] = repo.branches["main"]
    place.github.change_base(REPOSITORY, number, "release")
    place.settle()
    assert check(place, number).conclusion == "failure" and not place.mergeable(number)
    assert place.runner.again("verdict").succeeded and not place.mergeable(number)
    place.say(number, BLOCKED.override, by="maintainer")
    assert place.mergeable(number)


def test_words_whose_job_was_dropped_are_heard_by_the_next(place: Place) -> None:
    """A stranger's comment takes the place of the maintainer's, which waited. What was taken back stays so, whatever
    becomes of whoever said it, or of their comment."""
    repo = place.github.repo(REPOSITORY)
    repo.collaborators["lead"] = "maintain"
    place.without_queue()
    number = propose(place, BLOCKED)
    place.settle()
    stranger = ("stranger", "/bouncer help")

    def dropped(by: str, body: str) -> CheckView:
        [job] = place.crowd(number, (by, body), stranger)
        assert job.outputs["subject"] == str(number)
        return check(place, number)

    assert dropped("stranger", BLOCKED.override).conclusion == "failure"
    assert dropped("maintainer", BLOCKED.override).title == "Overridden by maintainer" and place.mergeable(number)
    assert dropped("stranger", "/bouncer override-cancel").conclusion == "success"
    assert len(place.crowd(number, stranger, ("passer-by", "I see this too."))) == 1  # talk takes nobody's place
    assert dropped("lead", "/bouncer override-cancel").conclusion == "failure"
    del repo.collaborators["lead"]
    [taken_back] = [each.id for each in repo.issues[number].comments if each.user.login == "lead"]
    place.say(number, *stranger[1:], by="stranger")
    place.github.delete_comment(REPOSITORY, taken_back)
    assert place.runner.again("verdict").succeeded and not place.mergeable(number)
    assert dropped("maintainer", BLOCKED.override).conclusion == "success"

    assert dropped("maintainer", "/bouncer person I know her.").conclusion == "success"
    assert "a person wrote it" in check(place, number).title
    assert "person must look" in dropped("maintainer", "/bouncer override-cancel").title.lower()
    assert not place.mergeable(number)


def test_a_persons_word_that_was_dropped_is_heard_after_others_wrote_the_check(place: Place) -> None:
    """Two share their commit. Whose the second is nobody judged by the word yet, whatever is written for the first."""
    github = place.github
    first = propose(place, BLOCKED)
    pull = github.repo(REPOSITORY).issues[first].pull
    assert pull is not None and pull.source is not None
    source, body = pull.source.full_name, github.issue(REPOSITORY, first).body
    second = github.open_pull(REPOSITORY, "Same", {}, body=body, by=AGENT, source=source, branch=pull.head_branch)
    place.settle()

    def dropped(body: str) -> None:
        place.later()
        github.comment(REPOSITORY, second, body, by="maintainer")
        place.runner.forget()

    def judged_by_word() -> bool:
        place.say(first, "/bouncer override Fine.", by="maintainer")
        place.say(second, "/bouncer help", by="stranger")
        text = str(list(github.repo(REPOSITORY).checks.values())[-1].output["text"])
        [of_second] = [each for each in pulls_in(text) if each.record.number == second]
        assert bool(of_second.words.person) is (of_second.record.judged == "")
        return bool(of_second.words.person)

    assert not judged_by_word()
    dropped("/bouncer person I know her.")
    assert judged_by_word()
    dropped("/bouncer override-cancel")
    assert not judged_by_word() and not place.mergeable(second)


def test_of_whom_nothing_could_be_remembered_is_kept_back(place: Place) -> None:
    """So many share its commit that their memories have no room beside the check. The honest one passes before."""
    place.runner.as_process = True  # here it is the real command, with the script of action.yml
    number = place.github.open_pull(REPOSITORY, "Say more", {"README.md": "More.\n"}, by="contributor")
    place.settle()
    place.runner.as_process = False
    assert place.mergeable(number) and "Not a coding agent's" in check(place, number).title
    run = list(place.github.repo(REPOSITORY).checks.values())[-1]
    [own] = pulls_in(str(run.output["text"]))
    cut_off = replace(own, record=replace(own.record, state=GateState.JUDGING))
    run.output["text"] = of_pull(cut_off)  # as of a job that was cancelled in the middle
    assert "not judged yet" in place.say(number, "/bouncer recheck", by="maintainer")[-1].summary
    rest = replace(own, record=replace(own.record, number=REST, base_branch=""), signs=(CROWDED,))
    run.output["text"] = of_pulls([own], rest, some_lost=True)
    place.say(number, "/bouncer recheck", by="maintainer")
    assert "Another pull request with this commit" in check(place, number).title and not place.mergeable(number)
    assert [each.record.number for each in pulls_in(str(run.output["text"]))] == [REST, number]
    run.output["text"] = of_pulls([], rest, some_lost=True)
    place.say(number, "/bouncer override It is fine.", by="maintainer")
    assert not place.mergeable(number)
    place.github.push_to_pull(REPOSITORY, number, {"NEWS.md": "More.\n"}, by="contributor")
    jobs = place.settle()
    [own] = pulls_in(str(list(place.github.repo(REPOSITORY).checks.values())[-1].output["text"]))
    assert own.signs == (CROWDED,) and jobs[-1].outputs["decision"]


@pytest.mark.parametrize("trick", ["pushes without end", "forces without end"])
def test_what_lies_where_nobody_looks_keeps_back(place: Place, monkeypatch: pytest.MonkeyPatch, trick: str) -> None:
    """One that was known for an agent's pushes so much that its memory is out of sight, each time with a check of
    another job. A maintainer's word lifts it. The honest one, of whom nothing is known yet,
    brings as many commits, without checks on them."""
    monkeypatch.setattr("bot.action.pull_memory.MOST_COMMITS", 2)
    monkeypatch.setattr("bot.github.workflow_token.FORCED", FORCED.replace("last: 100", "last: 3"))
    github = place.github
    signed = replace(BLOCKED, title="Sort upwards\n\nCo-authored-by: Claude <noreply@anthropic.com>")
    number = propose(place, signed, by="contributor")
    place.settle()
    honest = propose(place, BLOCKED, by="helper")
    github.edit_issue(REPOSITORY, number, title="Sort upwards", by="contributor")
    base = github.repo(REPOSITORY).branches["main"] if trick == "forces without end" else ""
    for message in ("Sort", "Sort them", "Sort them upwards"):
        head = github.push_to_pull(REPOSITORY, number, dict(BLOCKED.change), message=message, onto=base)
        github.new_check(github.repo(REPOSITORY), head, "theirs")
        github.push_to_pull(REPOSITORY, honest, {}, by="helper")
    place.runner.forget()
    github.push_to_pull(REPOSITORY, number, {}, by="contributor")
    github.push_to_pull(REPOSITORY, honest, {}, by="helper")
    place.settle()
    assert place.mergeable(honest) and "Not a coding agent's" in check(place, honest).title
    assert not place.mergeable(number) and UNSEEN in check(place, number).summary
    place.say(number, "/bouncer person I know her.", by="maintainer")
    assert place.mergeable(number) and "a person wrote it" in check(place, number).title


def test_a_commit_that_claims_to_be_older_hides_no_sign(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub lists commits by their authors' dates: the one with the sign comes behind the one before it."""
    number = propose(place, BLOCKED, by="contributor")
    place.settle()
    assert place.mergeable(number)
    first = place.head(number)
    place.github.edit_issue(REPOSITORY, number, body="Generated with [Claude Code](https://claude.com/claude-code)")
    place.github.push_to_pull(REPOSITORY, number, {}, by="contributor")
    place.settle()
    assert not place.mergeable(number)
    dated = (first, place.head(number)), True
    monkeypatch.setattr(WorkflowClient, "commits_with_checks", lambda client, number: dated)
    place.github.edit_issue(REPOSITORY, number, body="")
    place.github.push_to_pull(REPOSITORY, number, {}, by="contributor")
    place.settle()
    assert not place.mergeable(number) and "counted as a coding agent's before" in check(place, number).summary


@pytest.mark.parametrize(
    "trick",
    ["goes back to it", "closes it meanwhile", *(["holds its run back", "points it elsewhere"] if EVERY_TRICK else [])],
)
def test_an_override_of_what_was_shown_meanwhile_is_none_of_the_commit(place: Place, trick: str) -> None:
    """The author shows something harmless for as long as it takes a maintainer to let it through. What he goes back to
    was told of before: by a verdict, or by the run of a trigger that slept, whose file is his own."""
    earlier(place, minutes=60)
    number = propose(place, PASSED)
    harmless = place.head(number)
    place.runner.forget()
    earlier(place, minutes=50)
    if trick == "closes it meanwhile":
        bad = propose_alike(place, number, dict(BLOCKED.change))
    else:
        bad = place.github.push_to_pull(REPOSITORY, number, dict(BLOCKED.change), by=AGENT)
    place.github.wait_for_webhooks()
    slept = woken(place.github, REPOSITORY, place.github.deliveries[-1].payload, "Bouncer trigger")
    held_back = trick in ("holds its run back", "closes it meanwhile")
    if held_back:
        place.runner.forget()
    else:
        place.settle()
    repo = place.github.repo(REPOSITORY)
    repo.branches["release"] = repo.branches["main"]

    def show(commit: str, branch: str) -> None:
        if trick == "points it elsewhere":
            place.github.change_base(REPOSITORY, number, branch)
        elif trick == "closes it meanwhile" and commit == harmless:
            go_back_and_reopen(place, number, commit)
        else:
            stand_on(place, number, commit)

    earlier(place, minutes=40)
    show(harmless, "release")
    place.runner.forget()
    earlier(place, minutes=30)
    place.say(number, BLOCKED.override, by="maintainer")
    earlier(place, minutes=20)
    show(bad, "main")
    if held_back:
        place.runner.event("workflow_run", slept)
    else:
        place.settle()
    assert check(place, number).conclusion == "failure" and not place.mergeable(number)
    earlier(place, minutes=-1)
    place.say(number, BLOCKED.override, by="maintainer")
    assert check(place, number).title == "Overridden by maintainer" and place.mergeable(number)


def earlier(place: Place, *, minutes: int) -> None:
    """GitHub's clock from now on."""
    place.github.clock = lambda: datetime.now(UTC) - timedelta(minutes=minutes)


def propose_alike(place: Place, number: int, change: dict[str, Any]) -> str:
    """Close it, and propose its branch with one more commit for as long as it takes to be told of that; the commit."""
    github = place.github
    issue = github.repo(REPOSITORY).issues[number]
    assert issue.pull is not None and issue.pull.source is not None
    github.close_issue(REPOSITORY, number, by=AGENT)
    source, branch = issue.pull.source.full_name, issue.pull.head_branch
    return place.head(
        github.open_pull(REPOSITORY, "Alike", change, body=issue.body, by=AGENT, source=source, branch=branch)
    )


def go_back_and_reopen(place: Place, number: int, commit: str) -> None:
    """Its branch is deleted, which closes whatever else is proposed from it, and made anew."""
    github = place.github
    pull = github.repo(REPOSITORY).issues[number].pull
    assert pull is not None and pull.source is not None
    github.delete_branch(pull.source.full_name, pull.head_branch, by=AGENT)
    with github.lock:
        pull.source.branches[pull.head_branch] = commit
    github.reopen_issue(REPOSITORY, number, by=AGENT)


def stand_on(place: Place, number: int, commit: str) -> None:
    """Push its branch to a commit that there is already."""
    github = place.github
    with github.lock:
        pull = github.repo(REPOSITORY).issues[number].pull
        assert pull is not None and pull.source is not None
        before, pull.source.branches[pull.head_branch] = pull.source.branches[pull.head_branch], commit
        github._pushed(pull.source, pull.head_branch, before, pull.source.commits[commit], github.user(AGENT))


@pytest.mark.parametrize("moment", ["while it is judged", *(["while it runs"] if EVERY_TRICK else [])])
def test_a_word_said_meanwhile_counts(place: Place, moment: str) -> None:
    """The job that such a comment starts finds no verdict, and leaves it to the one that writes it."""
    number = propose(place, BLOCKED)

    def say(run: WorkflowRun | None = None) -> None:
        place.runner.between = None
        place.later()
        place.github.comment(REPOSITORY, number, BLOCKED.override, by="maintainer")

    def once_the_check_begins(exchange: Exchange) -> None:
        if exchange.method == "POST" and exchange.route.endswith("/check-runs"):
            say()

    if moment == "while it runs":
        place.runner.between = say
    else:
        place.github.traffic.observers.append(once_the_check_begins)
    jobs = place.settle()
    assert check(place, number).title == "Overridden by maintainer" and place.mergeable(number)
    assert place.spoken(number) == [] and jobs


def test_a_job_of_the_heads_own_with_the_checks_name_asks_for_a_person(place: Place) -> None:
    number = propose(place, PASSED)
    place.github.wait_for_webhooks()
    repo = place.github.repo(REPOSITORY)
    forged = place.github.new_check(repo, place.head(number), NAME)  # as GitHub makes one for a job of this name
    forged.status, forged.conclusion = "completed", "success"
    jobs = place.settle()
    shown = check(place, number)
    assert shown.conclusion == "action_required" and "Another workflow" in shown.title
    assert "Another workflow wrote a check" in jobs[-1].summary
    place.say(number, "/bouncer recheck", by="maintainer")
    assert "Another workflow" in check(place, number).title and not place.mergeable(number)
    place.say(number, "/bouncer override Our own job, by mistake.", by="maintainer")
    assert check(place, number).conclusion == "success"


def test_rounds_go_on_over_pushes_whatever_other_apps_say(place: Place) -> None:
    """Another App's check of the same name says that it passed, and that no commit was ever bounced."""
    place.policy("mode: enforce\npulls:\n  rounds: 2\nverify:\n  setup: []\n  test: pytest\n")
    number = propose(place, BLOCKED)
    place.settle()
    repo = place.github.repo(REPOSITORY)
    [remembered] = pulls_in(str(list(repo.checks.values())[-1].output["text"]))
    assert remembered.record.bounced == (place.head(number),)
    clean = replace(remembered, record=replace(remembered.record, bounced=()), at=remembered.at + timedelta(days=1))
    theirs = repo.checks[place.github.complete_other_check(REPOSITORY, place.head(number), "success", name=NAME)]
    theirs.output["text"] = of_pull(clean)
    assert not place.mergeable(number)
    place.github.push_to_pull(REPOSITORY, number, {}, by=AGENT)
    place.settle()
    assert check(place, number).title == "Bounced 2 times: a maintainer should decide"


def test_rounds_are_counted_where_one_push_in_between_was_forced(place: Place) -> None:
    place.policy("mode: enforce\npulls:\n  rounds: 3\nverify:\n  setup: []\n  test: pytest\n")
    number = propose(place, BLOCKED)
    place.settle()
    base = place.github.repo(REPOSITORY).branches["main"]
    place.github.push_to_pull(REPOSITORY, number, dict(BLOCKED.change), by=AGENT, message="Anew", onto=base)
    place.settle()
    place.github.push_to_pull(REPOSITORY, number, {}, by=AGENT)
    place.settle()
    assert check(place, number).title == "Bounced 3 times: a maintainer should decide"


def test_what_a_broken_out_first_job_claims_of_other_commits_passes_nothing(place: Place) -> None:
    """The artifact is replaced: there is none, it is another pull request's, it holds what no first job writes. Each
    asks for a person; the honest one passes, before and after."""
    runs: list[WorkflowRun] = []
    place.runner.between = runs.append
    first = propose(place, PASSED)
    place.settle()
    number = propose(place, PASSED, by="helper[bot]")
    place.settle()
    assert place.mergeable(first) and place.mergeable(number)
    theirs, honest = (run.artifacts[0] for run in runs)
    forged: list[tuple[bytes | None, str]] = [
        (None, "ended before it could write one"),
        (theirs.content, "tells nothing of this pull request"),
        (relabelled(theirs.content, number=number), "of another commit"),
        (relabelled(theirs.content, number=number, head=place.head(number)), "Run this workflow again"),
        (zipped({"trial.json": b"{}"}), "does not hold what the first job writes"),
    ]
    for content, said in forged:
        runs[1].artifacts[:] = [replace(honest, content=content)] if content is not None else []
        assert place.runner.again("verdict").succeeded
        shown = check(place, number)
        assert (shown.conclusion, said in shown.summary) == ("action_required", True), shown.summary
        assert not place.mergeable(number)
    runs[1].artifacts[:] = [honest]
    place.runner.again("verdict")
    assert check(place, number).conclusion == "success"


def relabelled(archive: bytes, **fields: object) -> bytes:
    """The same runs, said to be of something else."""
    found = json.loads(read_artifact(archive, {FILE: LARGEST})[FILE])
    found["results"][0].update(fields)
    return zipped({FILE: json.dumps(found).encode()})
