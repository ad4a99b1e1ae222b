"""A new issue, from its delivery to what stands on GitHub."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from bot.github.app import GitHubApp
from bot.github.deliveries import Delivery
from bot.github.errors import Unavailable
from bot.github.events import read
from bot.judges.calibration.calibration import model_threshold
from bot.judges.protocol import Judgement, NoJudgement
from bot.policy_choices import Strictness
from bot.policy_file import PATH
from bot.rendering.issue_reasons import issue_reasons
from bot.reports import Report
from bot.storage.inbox import Queued
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision, IssueKind, State
from bot.workflows.delivery import take
from bot.workflows.durable.step import Stopped, Trouble
from bot.workflows.issue import workflow
from bot.workflows.issue.judging import KNOWN, IssueJudging, IssueRun
from bot.workflows.issue.workflow import HANDLER, IssueWorkflow
from bot.workflows.jobs import RunJob
from tests.support import runs
from tests.support.cases import cases
from tests.support.waiting import eventually
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, VAGUE, VAGUE_TITLE, House


def test_a_vague_issue_is_held_with_one_comment(house: House) -> None:
    repo, number = house.begin()
    assert house.held(repo, number)
    assert house.spoken(repo, number).startswith("<!-- bouncer:issue -->")
    subject = house.remembered(repo, number)
    assert subject is not None and subject.held and subject.comment_id and subject.asked and subject.asked_at


def test_a_clear_issue_is_left_in_peace(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    assert house.writes(repo) == []
    subject = house.remembered(repo, number)
    assert subject is not None and subject.verdict is not None and subject.verdict.decision is Decision.ACCEPT


def test_a_clear_issue_gets_the_label_the_policy_names(house: House) -> None:
    repo = house.repository("issues:\n  labels:\n    agent_ready: ready\n    needs_clarification: unclear\n")
    clear = house.open(repo, CLEAR, title=CLEAR_TITLE)
    vague = house.open(repo)
    assert house.issue(repo, clear).labels == ("ready",)
    assert house.issue(repo, vague).labels == ("unclear",)


def test_a_delivery_that_comes_twice_acts_once_and_so_does_the_same_text_again(house: House) -> None:
    repo, number = house.begin()
    before = house.writes(repo)
    last = [item for item in house.github.deliveries if item.action == "opened"][-1]
    house.github.webhooks.redeliver(last.id)
    house.settle()
    assert house.writes(repo)[len(before) :] == []
    house.github.edit_issue(repo, number, title="Other")
    house.edit(repo, number, title=VAGUE_TITLE)
    assert house.writes(repo)[len(before) :] == []
    assert len(house.issue(repo, number).comments) == 1


def test_an_exempt_author_is_left_alone(house: House) -> None:
    repo = house.repository("issues:\n  exempt:\n    authors: [reporter]\n")
    house.open(repo)
    assert house.writes(repo) == []


@cases
def test_who_is_never_held_follows_from_who_wrote_it_and_who_may_read_it(
    policy: str | None, private: bool, by: str, held: bool, house: House
) -> None:
    text = f"issues: {{exempt: {{roles: {policy}}}}}\n" if policy else None
    repo = house.repository(text, private=private, agent="devin-ai-integration[bot]")
    asked = len(house.judge.asked)
    number = house.open(repo, by=by)
    assert house.held(repo, number) is held
    assert bool(house.writes(repo)) is held
    assert len(house.judge.asked) - asked == held, "no judge is asked about what is never held"
    reason = (
        "left alone: its author's role (collaborator) is exempt" if by != "reporter" else "its author's role (none)"
    )
    assert any(reason in outcome for outcome in outcomes(house, repo)) is not held


def test_what_an_app_wrote_for_a_maintainer_is_judged(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE, by="maintainer", via_app=True)
    house.settle()
    assert house.held(repo, number)


def test_who_may_read_it_is_known_without_a_delivery(house: House) -> None:
    """A mended policy brings looks that no delivery tells of."""
    repo = house.repository("issues: {loud: true}\n")
    own, theirs = house.open(repo, by="maintainer"), house.open(repo)
    house.github.push(repo, {PATH: "mode: advise\n"})
    house.settle()
    assert (house.held(repo, own), house.held(repo, theirs)) == (False, True)


def test_whoever_asks_about_an_exempt_issue_gets_an_answer_and_no_hold(house: House) -> None:
    repo = house.repository("issues:\n  labels: {agent_ready: ready}\n")
    vague, clear = house.open(repo, by="maintainer"), house.open(repo, CLEAR, title=CLEAR_TITLE, by="maintainer")
    for number, said in ((vague, "Answers to this would help"), (clear, "The report says enough to act on")):
        house.say(repo, number, "/bouncer recheck", by="maintainer")
        assert said in house.answer(repo, number)
        assert "Bouncer does not hold this issue: its author's role (collaborator) is exempt." in house.answer(
            repo, number
        )
        assert house.issue(repo, number).labels == ()
    subject = house.remembered(repo, vague)
    assert subject is not None and subject.verdict is not None and not subject.held
    assert subject.verdict.decision is Decision.BOUNCE
    house.say(repo, vague, "/bouncer brief", by="maintainer")
    assert "bouncer:brief" in house.spoken(repo, vague), "nobody asks whether it is clear, so nothing has to be"
    house.say(repo, vague, "/bouncer help", by="maintainer")
    assert "/bouncer recheck" in house.answer(repo, vague)
    assert "leaves this issue alone: its author's role (collaborator) is exempt." in house.answer(repo, vague)
    watched = house.repository("mode: observe\n")
    house.say(watched, house.open(watched, by="maintainer"), "/bouncer recheck", by="maintainer")
    assert house.writes(watched) == []


def test_only_issues_within_reach_are_looked_at(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = house.repository("issues:\n  only: {kinds: [feature], labels: [triage, ask]}\n")
    asked = len(house.judge.asked)
    bare = house.open(repo, "Add a thing.", title="Feature request: a thing")
    assert (house.writes(repo), len(house.judge.asked)) == ([], asked)
    assert "left alone: it carries none of the labels that the policy wants looked at" in outcomes(house, repo)
    house.say(repo, bare, "/bouncer recheck")
    assert "Bouncer does not hold this issue: it carries none of the labels" in house.answer(repo, bare)
    monkeypatch.setattr(house.judge, "kind", IssueKind.FEATURE)
    house.github.add_label(repo, bare, "other")
    house.settle()
    assert not house.held(repo, bare)
    house.github.edit_issue(repo, bare, body="Add a thing, please.")
    house.github.add_label(repo, bare, "Triage")
    house.settle()
    assert house.held(repo, bare), "a label brings it within reach"
    house.github.remove_label(repo, bare, "Triage")
    house.settle()
    assert not house.held(repo, bare)
    assert "Bouncer leaves this issue alone: it carries none of the labels" in house.spoken(repo, bare)
    house.github.add_label(repo, bare, "Triage")
    house.settle()
    assert house.held(repo, bare), "its text was judged before, and still says nothing"
    bug = house.github.open_issue(repo, VAGUE_TITLE, VAGUE, labels=("Triage",))
    house.settle()
    assert house.issue(repo, bug).labels == ("Triage",)
    assert "left alone: it is a bug report, and the policy wants other kinds looked at" in outcomes(house, repo)
    monkeypatch.setattr(house.judge, "kind", IssueKind.QUESTION)
    judged = house.github.open_issue(repo, "Feature request: another", "Add it.", labels=("Triage",))
    house.settle()
    assert house.issue(repo, judged).labels == ("Triage",), "a judge that reads another kind holds nothing either"


def test_a_bug_report_is_asked_for_the_sections_that_the_policy_wants(house: House) -> None:
    repo, number = house.begin("issues:\n  required_sections: [Steps, Logs, Browser]\n", CLEAR, title=CLEAR_TITLE)
    assert house.held(repo, number)
    assert "- [ ] the section “Browser”" in house.spoken(repo, number)
    assert "The section “Browser” is missing or empty." in house.spoken(repo, number)
    assert not any(name in house.spoken(repo, number) for name in ("“Steps”", "“Logs”")), "both are answered"
    house.say(repo, number, "### Browser\n\n_No response_")
    assert house.held(repo, number)
    house.say(repo, number, "### Browser\n\nFirefox on Debian.")
    assert not house.held(repo, number)
    assert "this is clear now" in house.spoken(repo, number)


LOGS = "issues:\n  ask_for: [{fact: server log, question: 'Please attach `server.log`.', words: [server.log]}]\n"


def test_an_issue_waits_for_the_facts_that_the_policy_asks_for(house: House) -> None:
    repo, number = house.begin(LOGS, CLEAR, title=CLEAR_TITLE)
    assert house.held(repo, number)
    assert "- [ ] server log\n" in house.spoken(repo, number)
    assert "1. Please attach `server.log`.\n" in house.spoken(repo, number)
    [read] = [report for report in house.judge.asked if report.asked_for]
    assert read.asked_for == (("server log", False),), "the judge is told"
    house.say(repo, number, "> Please attach `server.log`.\n\nI don't know where that is.")
    assert house.held(repo, number)
    house.say(repo, number, "Server log: https://files.example/1.txt")
    assert not house.held(repo, number)
    assert "this is clear now" in house.spoken(repo, number)
    assert house.writes(house.repository(f"mode: observe\n{LOGS}")) == []


UNSURE = "The cart crashes when an item is removed from it and another one was added with a coupon before that."
ASKS = "issues: {strictness: lenient, ask: newcomers}\n"


def test_newcomers_are_asked_where_nothing_waits(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house.judge, "unclear", model_threshold(house.judge.name, Strictness.STRICT))
    repo, number = house.begin(ASKS, UNSURE)
    assert house.issue(repo, number).labels == ()
    asked = house.spoken(repo, number)
    assert "Nothing waits for it, but answers would help" in asked and "\n1. " in asked and "\n3. " not in asked
    subject = house.remembered(repo, number)
    assert subject is not None and subject.verdict is not None and (subject.held, subject.asked_at) == (False, None)
    assert (subject.verdict.decision, len(subject.verdict.questions)) == (Decision.ACCEPT, 2)
    written = len(house.writes(repo))
    house.say(repo, number, "I don't know.")
    assert house.spoken(repo, number) == asked, "one comment, edited in place"
    assert all(each.startswith("PATCH") for each in house.writes(repo)[written:]), "nothing but that comment"
    other = house.open(repo, UNSURE)
    house.say(repo, other, CLEAR)
    assert "this is clear now" in house.spoken(repo, other), "as the comment says, a reply brings another look"
    assert house.answers(repo, other) == []
    house.say(repo, number, "/bouncer accept", by="maintainer")
    assert "A maintainer accepted this issue as it is." in house.spoken(repo, number)
    team = house.repository("issues: {strictness: lenient, ask: newcomers, exempt: {roles: []}}\n")
    assert house.spoken(team, house.open(team, UNSURE, by="maintainer")) == ""
    watched = house.repository(f"mode: observe\n{ASKS}")
    seen = house.remembered(watched, house.open(watched, UNSURE))
    assert house.writes(watched) == []
    assert seen is not None and seen.verdict is not None and len(seen.verdict.questions) == 2, "observe shows them"


def test_the_maintainers_words_stand_around_the_questions(house: House) -> None:
    words = "{above: '**Please** read CONTRIBUTING.md first.', below: '@acme/triage answers on Mondays.'}"
    repo, number = house.begin(f"issues:\n  comment: {words}\n")
    said = house.spoken(repo, number)
    first, *_, last = said.strip().split("\n\n")
    assert first == "<!-- bouncer:issue -->\n**Please** read CONTRIBUTING.md first."
    assert last == "@acme/triage answers on Mondays."
    house.say(repo, number, "/bouncer help")
    assert "Mondays" in house.spoken(repo, number) and "CONTRIBUTING" not in house.answer(repo, number)
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    assert "CONTRIBUTING" not in house.spoken(repo, number), "nothing is asked any more"


def test_a_coding_agents_issue_is_judged_and_another_bots_notice_is_not_held(house: House) -> None:
    repo = house.repository()
    assert house.held(repo, house.open(repo, by="devin-ai-integration[bot]"))
    assert not house.held(repo, house.open(repo, by="nightly-builds[bot]"))


def test_the_owners_defaults_hold_where_there_is_no_policy(house: House) -> None:
    house.github.create_repository("acme-defaults/.github", files={".github/bouncer.yml": "mode: observe\n"})
    repo = house.repository(owner="acme-defaults")
    house.open(repo)
    assert house.writes(repo) == []


@pytest.mark.parametrize("where", ["widgets-1/SECURITY.md", ".github/docs/SECURITY.md", ""])
def test_what_reads_like_a_vulnerability_is_pointed_to_a_policy_that_is_there(house: House, where: str) -> None:
    owner = f"acme-{len(where)}"
    repo = house.repository(owner=owner)
    name, _, path = where.partition("/")
    if name == ".github":
        house.github.create_repository(f"{owner}/.github", files={path: "Write to us.\n"})
    elif where:
        house.github.push(repo, {path: "Write to us.\n"})
    title = "Security vulnerability: remote code execution"
    number = house.open(
        repo, "An attacker can run any code with a crafted file, a proof of concept is below.", title=title
    )
    (comment,) = house.issue(repo, number).bouncer_comments
    assert ("how to report it in private" in comment.body, f"/{path}) says" in comment.body) == (True, bool(where))
    assert ("SECURITY.md" in comment.body) is bool(where)


def test_an_edit_counts_though_the_news_of_the_installation_came_later_than_the_issue(house: House) -> None:
    """Many deliveries arrive at once, or after hours without a server: when the installation was told of says little
    of when it was. What was opened since is judged, and with it what was edited."""
    repo = house.repository(installed=False)
    house.github.install(repo.partition("/")[0], [repo])
    number = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    house.github.edit_issue(repo, number, title=VAGUE_TITLE, body=VAGUE)
    house.clock.advance(minutes=5)
    house.settle()
    assert house.held(repo, number)


def test_installing_touches_no_existing_issue(house: House) -> None:
    repo = house.repository(installed=False)
    number = house.github.open_issue(repo, "Old", VAGUE)
    house.clock.advance(minutes=5)
    house.github.install(repo.partition("/")[0], [repo])
    house.github.edit_issue(repo, number, body=VAGUE + " Please!")
    house.github.comment(repo, number, "Any news?")
    house.settle()
    assert house.writes(repo) == []
    house.say(repo, number, "/bouncer recheck")
    assert house.held(repo, number), "asked for, it looks"


def test_an_issue_closed_meanwhile_is_not_judged(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.close_issue(repo, number)
    house.settle()
    assert house.writes(repo) == []
    house.github.reopen_issue(repo, number)
    house.settle()
    assert house.held(repo, number)


def test_an_issue_deleted_meanwhile_ends_quietly(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.delete_issue(repo, number)
    house.settle()
    assert house.writes(repo) == []
    assert "failed" not in outcomes(house, repo)


def test_a_locked_issue_is_no_failure(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.lock_issue(repo, number)
    house.settle()
    assert not house.issue(repo, number).comments
    assert "failed" not in outcomes(house, repo)


def test_a_newer_edit_supersedes_an_older_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both edits arrive while the first text is judged; the text in the middle is judged by nobody."""
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    judge, asked = house.judge.judge, len(house.judge.asked)

    def edit_twice() -> None:
        house.github.edit_issue(repo, number, body=VAGUE + " Soon.")
        house.github.edit_issue(repo, number, title=CLEAR_TITLE, body=CLEAR)

    def judge_slowly(report: Report) -> Judgement | NoJudgement:
        monkeypatch.setattr(house.judge, "judge", judge)
        house.meanwhile(edit_twice)
        return judge(report)

    monkeypatch.setattr(house.judge, "judge", judge_slowly)
    house.settle()
    assert house.writes(repo) == []
    assert [report.text.body for report in house.judge.asked[asked:]] == [VAGUE, CLEAR]
    assert "superseded" in outcomes(house, repo)


def test_what_changes_while_it_is_judged_is_judged_again(house: House) -> None:
    """The edit's own delivery is still under way: the look reads the issue again before it writes."""
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.deliver()
    house.github.edit_issue(repo, number, title=CLEAR_TITLE, body=CLEAR)
    house.worker.turn()
    eventually(house.idle)
    assert "clear" in outcomes(house, repo)
    assert house.writes(repo) == []


def test_the_daily_budget_of_a_repository_ends_in_no_verdict(house: House) -> None:
    house.begin_a_day()
    repo = house.repository("budgets:\n  per_repository: 1\n")
    first, second = house.open(repo), house.open(repo, by="somebody")
    assert house.held(repo, first)
    subject = house.remembered(repo, second)
    assert subject is not None and subject.verdict is not None
    assert issue_reasons(subject.verdict) == ("The repository's budget of judgements for today is spent.",)
    elsewhere = house.repository()
    assert house.held(elsewhere, house.open(elsewhere)), "other repositories have budgets of their own"
    house.tick(hours=25)
    assert house.held(repo, second), "the next day it is looked at"


def test_the_daily_budget_of_an_author_ends_in_no_verdict(house: House) -> None:
    house.begin_a_day()
    repo = house.repository("budgets:\n  per_author: 1\n")
    first, second = house.open(repo), house.open(repo, title="It is broken too")
    other = house.open(repo, by="somebody")
    assert house.held(repo, first) and house.held(repo, other)
    assert house.issue(repo, second).comments == () and not house.held(repo, second)
    subject = house.remembered(repo, second)
    assert subject is not None and subject.verdict is not None and subject.verdict.decision is Decision.UNAVAILABLE
    house.tick(hours=25)
    assert house.held(repo, second), "the next day it is looked at"


def test_an_agents_label_does_not_change_what_is_remembered(house: House) -> None:
    repo, number = house.begin()
    house.github.add_label(repo, number, "bug")
    house.github.remove_label(repo, number, "bug")
    house.settle()
    subject = house.remembered(repo, number)
    assert subject is not None and subject.held and subject.state is State.ACTIVE
    assert house.issue(repo, number).labels == (LABEL,)


def outcomes(house: House, repo: str) -> list[str]:
    """How this repository's runs ended."""
    return runs.outcomes(f"issue:{house.github.repo(repo).id}:")


def test_an_exempt_label_that_is_taken_off_brings_a_look(house: House) -> None:
    repo = house.repository("issues:\n  exempt: {labels: [known, ours]}\n")
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE, labels=("known", "ours"))
    house.settle()
    for label, held in (("known", False), ("Ours", True)):
        assert not house.held(repo, number)
        house.github.remove_label(repo, number, label)
        house.settle()
        assert house.held(repo, number) is held


@pytest.mark.parametrize(("free", "steps"), [(True, ["ask"]), (False, ["ask", "judge", "apply"])])
def test_an_answer_that_costs_nothing_is_no_step_of_its_own(
    house: House, monkeypatch: pytest.MonkeyPatch, free: bool, steps: list[str]
) -> None:
    """Every step is stored, which takes longer than the offline judge does."""
    repo, done = house.repository(), list[str]()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    delivery = read("issues", house.github.deliveries[-1].payload)
    assert isinstance(delivery, Delivery)
    assert delivery.repository
    job = RunJob("issue", f"by hand {free}", 1, delivery.installation_id, delivery.repository, number)

    def attempt(name: str, kind: object, effect: Callable[[], object]) -> object:
        done.append(name)
        return effect()

    monkeypatch.setattr(workflow, "attempt", attempt)
    services = replace(house.services, judge_is_free=free)
    IssueWorkflow.run(services, replace(job, delivery=delivery).pack())
    assert done == steps
    assert house.issue(repo, number).labels == (LABEL,)
    house.lose()


def test_a_run_that_begins_again_has_the_same_first_step_whether_github_answers_or_not(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine holds what a run does against what it did before a kill, and fails it where that differs."""
    repo, begun, jobs = house.repository(), list[str](), list[RunJob]()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.comment(repo, number, "/bouncer help", by="octocat")
    sent = (read(each.event, each.payload) for each in house.github.deliveries[-2:])
    services = replace(house.services, submit=lambda *given: jobs.append(RunJob.unpack(given[3])))
    for delivery in sent:
        assert isinstance(delivery, Delivery)
        HANDLER.hand_on(services, Queued(1, "guid", delivery, house.clock()), take("it is taken"))

    def stopped(name: str, *given: object) -> object:
        begun.append(name)
        raise Stopped(Trouble("GitHub is away", retry=True))

    def away(app: GitHubApp) -> str:
        raise Unavailable("GitHub is away")

    monkeypatch.setattr(workflow, "attempt", stopped)
    monkeypatch.setattr(GitHubApp, "slug", property(away))
    assert [IssueWorkflow.run(services, job.pack()) for job in jobs[:2]] == ["later: GitHub is away"] * 2
    assert begun == ["ask", "act"]
    house.lose()


def test_a_look_that_was_killed_before_it_was_stored_goes_on_to_what_follows(house: House) -> None:
    repo, submitted = house.repository(), list[str]()
    number = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    delivery = read("issues", house.github.deliveries[-1].payload)
    assert isinstance(delivery, Delivery)
    assert delivery.repository
    at = delivery.installation_id, delivery.repository, number
    job = RunJob("issue", "killed", 1, *at, delivery=delivery)
    services = replace(house.services, judge_is_free=True, submit=lambda name, run_id, *rest: submitted.append(run_id))
    again = partial(IssueWorkflow.run, services)
    again(job.pack())
    again(job.pack())
    looks = [f"already_fixed:{delivery.repository.id}:{number}:killed"]
    assert submitted == looks * 2, "one id is one run, however often it is submitted"
    where = delivery.repository
    new = SubjectRecord(
        repo_id=where.id, number=number, installation_id=at[0], repository=where.full_name, latest_seq=2
    )
    house.services.subjects.want(new)
    again(job.pack())
    assert submitted == looks * 3, "the newer one may change nothing, and would go on to nothing"
    assert again(replace(job, run_id="older").pack()) == "superseded"
    assert again(replace(job, run_id="another", seq=2).pack()) == "this text was judged before"
    assert len(submitted) == 3
    house.lose()


def test_a_look_that_judged_a_newer_text_and_was_killed_goes_on_to_what_follows(house: House) -> None:
    """It begins again with what the older text was judged to be."""
    repo = house.repository()
    number = house.github.open_issue(repo, CLEAR_TITLE, CLEAR)
    delivery = read("issues", house.github.deliveries[-1].payload)
    assert isinstance(delivery, Delivery) and delivery.repository
    job = RunJob("issue", "killed", 1, delivery.installation_id, delivery.repository, number, delivery=delivery)
    older = IssueJudging(0, (), "of an older text", None)
    for _ in range(2):
        look = IssueRun(house.services, job)
        look.apply(older)
        assert look.read is not None and look.read.clear
    another = IssueRun(house.services, replace(job, run_id="another"))
    assert another.apply(older) == KNOWN
    assert another.read is None
    house.lose()


def test_nobody_is_told_where_there_is_nothing_to_say_of_a_fix(house: House) -> None:
    repo, number = house.begin(None, CLEAR, title=CLEAR_TITLE)
    subject = f"{house.github.repo(repo).id}:{number}:"
    assert len(runs.outcomes(f"already_fixed:{subject}")) == 1, "it was looked for"
    assert len(runs.outcomes(f"issue:{subject}")) == 1, "and no run followed"
