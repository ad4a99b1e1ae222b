"""Rejected pull requests put to the test with everything real but GitHub: git, mirror, environment, sandbox, filter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from bot.already_fixed.examples import ExampleSource
from bot.demo.sample_repository import FILES, PULLS, PullStory
from bot.github.app import GitHubApp
from bot.github.channel import Credential
from bot.github.errors import Rejected
from bot.github.mirror import Mirrors
from bot.github.values import Repository
from bot.judges.agent.code_tools import UnreadableCode
from bot.judges.openai.spend import MemorySpend
from bot.policy import Policy, Verify
from bot.pulls.issue_links import specification
from bot.pulls.review_claims import ReviewClaim, Severity
from bot.pulls.suggestions import Suggestion, SuggestionError
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Capabilities, Job, Outcome, Status
from bot.settings import load
from bot.storage.database import Database
from bot.storage.verification import Answers, MaintainersAnswer
from bot.verdicts import Cause, Decision, Topic
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.questions import AnswerChoice, VerificationQuestion, rule
from bot.verification.patch_evidence import Proof, Standing
from bot.workflows.verifier import ExecutionRequest, Verifier
from fake_github import FakeGitHub
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.support.sandbox import Remembering, StandIn, Watched

ACCEPT, BOUNCE, UNAVAILABLE = Decision.ACCEPT, Decision.BOUNCE, Decision.UNAVAILABLE
POLICY = Policy(verify=Verify(setup=(), test="pytest", timeout=3600))
STORIES = {story.key: story for story in PULLS}
HALF = "def half(n):\n    return n // 2\n"
TEST = "from half import half\n\n\ndef test_half():\n    assert half(4) == 2\n    assert half(6) == 3\n"
ASKED = "half() loses what is odd. It should be:\n\n>>> half(3)\n1.5\n"
MOST_JOBS = 20  # for a push that passes, in this small repository, where the runs of its base are kept
BROKEN = TEST + "\n\ndef test_the_weather():\n    assert half(8) == 'rain'\n"


@dataclass
class Bench:
    """One repository a pull request; the verifier is shared, as its mirror and sandbox are."""

    github: FakeGitHub
    app: GitHubApp
    database: Database
    verifier: Verifier
    executor: Watched
    repo: str = ""
    base: str = ""
    claim: ReviewClaim = ReviewClaim(1, "", 1, 1, Severity.UNSTATED, Topic.UNSTATED, "")

    def repository(self, files: Mapping[str, str], *, private: bool = False) -> Repository:
        self.repo = f"owner{len(self.github.repos)}/kettle"
        made = self.github.create_repository(self.repo, files=files, private=private)
        self.base = made.branches["main"]
        self.github.install(self.repo.partition("/")[0], [self.repo])
        return Repository(made.id, self.repo, private=private)

    @property
    def credential(self) -> Credential:
        installation = self.github.installation_of(self.github.repo(self.repo))
        assert installation is not None
        return self.app.credential(installation.id)

    def wanted(
        self, repository: Repository, change: Mapping[str, str | None], *suggestions: Suggestion, asked: str = ""
    ) -> ExecutionRequest:
        number = self.github.open_pull(self.repo, "A change", change)
        pull = self.github.repo(self.repo).issues[number].pull
        assert pull is not None
        fixes = (suggestions,) if suggestions else ()
        self.claim = ReviewClaim(1, "half.py", 1, 1, Severity.UNSTATED, Topic.UNSTATED, "Wrong.", fixes)
        return ExecutionRequest(repository, number, pull.head, self.base, asked, POLICY)

    def verify(self, wanted: ExecutionRequest) -> tuple[Verified, VerificationQuestion | None]:
        self.executor.jobs.clear()
        (tried,) = self.verifier.verify(wanted, [self.claim], self.credential)
        if tried.verified is None:
            raise SuggestionError(tried.reason)
        return tried.verified, tried.question

    def story(self, story: PullStory) -> ExecutionRequest:
        found = Suggestion(story.path, story.first, story.last, story.suggestion)
        return self.wanted(self.repository(FILES), story.change, found, asked=specification(*story.issue))


@pytest.fixture(scope="module")
def bench(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("verifier")
    github = FakeGitHub(private_key=KEY)
    github.start()
    settings = load(
        app_id=github.app.id,
        private_key=github.private_key,
        github_api_url=github.url,
        github_web_url=github.web_url,
        cache_dir=folder / "cache",
        database_url=databases.migrated(),
        judge="offline",
    )
    app = GitHubApp(github.app.id, github.private_key, github.url, seconds_between_writes=0)
    database = Database.open(settings.database_url)
    executor = Watched(Remembering(BubblewrapExecutor()))
    verifier = Verifier(settings, database, MemorySpend())
    verifier.__dict__["_executor"] = executor  # what it would choose by itself, and be seen at it
    yield Bench(github, app, database, verifier, executor)
    database.close()
    github.close()


def test_a_correct_change_is_rescued_and_called_plausible(bench: Bench) -> None:
    repository = bench.repository({"half.py": HALF, "test_half.py": TEST})
    suggestion = Suggestion("half.py", 2, 2, "    return n * 2\n")
    wanted = bench.wanted(repository, {"half.py": HALF.replace("//", "/")}, suggestion, asked=ASKED)
    found, asked = bench.verify(wanted)
    assert (found.decision, found.case, asked) == (ACCEPT, Case.OVER_REPAIR, None), found.reasons
    assert found.patch
    assert found.patch.standing is Standing.PLAUSIBLE
    facts = found.patch.facts
    assert not any(run.entered for run in (facts.base, facts.head, facts.own))
    assert not any(job.confidential for job in bench.executor.jobs)


def test_a_head_that_cannot_be_checked_out_is_its_own_doing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a file with too long a name would make any check neutral."""

    def refuse(*_: object) -> None:
        raise Rejected("the commit cannot be checked out: File name too long")

    wanted = bench.wanted(bench.repository({"half.py": HALF}), {"half.py": HALF + "\n\nodd = 3\n"})
    monkeypatch.setattr(bench.verifier._mirrors, "merge", refuse)
    stood = bench.verifier.check(wanted, bench.credential)
    assert (stood.blame, stood.problem.partition(": ")[2]) == (
        Cause.CHANGE,
        "the commit cannot be checked out: File name too long",
    )


def test_the_base_s_own_tests_run_once_for_all_changes_to_it(bench: Bench) -> None:
    """And the changed code runs them each time, as often as it is looked at.

    Both break a test, which comes out soonest; then the base is run twice more each time: is it steady?
    """
    repository = bench.repository({"half.py": HALF, "test_half.py": TEST})
    of_base, of_head, digests = [], [], []
    for other in "35":
        bench.executor.jobs.clear()
        changed = {"half.py": HALF.replace("2", other)}
        stood = bench.verifier.check(bench.wanted(repository, changed), bench.credential)
        assert stood.patch is not None and stood.patch.standing is Standing.IMPLAUSIBLE
        assert stood.patch.regressions == ("test_half.py::test_half",)
        assert not any(run.entered for run in (stood.patch.facts.base, stood.patch.facts.head)), "it would be stored"
        digests.append(stood.digests)
        jobs = [(job.files, job.tree) for job in bench.executor.jobs]
        held = [files.get("half.py") or (tree / "half.py").read_bytes() for files, tree in jobs if tree]
        of_base.append(held.count(HALF.encode()))
        of_head.append(held.count(changed["half.py"].encode()))
    assert of_base == [3, 2]
    assert of_head[0] == of_head[1] >= 1
    first, second = digests
    assert all(len(each) in (40, 64) for each in (first.tree, first.tests, first.environment)), first
    assert first == replace(second, tree=first.tree) and first.tree != second.tree

    # A right change takes all parts that there are, and no more jobs than a push may.
    bench.executor.jobs.clear()
    own = "\n\ndef test_odd():\n    assert half(3) == 1.5\n"
    right = bench.wanted(repository, {"half.py": HALF.replace("//", "/"), "test_half.py": TEST + own})
    stood = bench.verifier.check(right, bench.credential)
    patch, jobs = stood.patch, len(bench.executor.jobs)
    assert patch is not None and patch.standing is Standing.PLAUSIBLE and patch.unfinished == ()
    assert patch.control is not None and patch.control.proof is Proof.PROVED
    assert (len(patch.facts.own.results), patch.facts.own.numbers.total()) == (1, 2), "names of tests would be stored"
    assert jobs <= MOST_JOBS


def test_the_head_commit_can_be_looked_at(bench: Bench) -> None:
    """As the mirror has it: a commit without its history, and no other one."""
    wanted = bench.wanted(bench.repository({"half.py": HALF}, private=True), {"half.py": HALF + "\n\nodd = 3\n"})
    code = bench.verifier.code(wanted.repository, wanted.number, wanted.head, bench.credential)
    assert code.search("odd", "") == ("half.py:5:odd = 3",)
    with pytest.raises(UnreadableCode, match="history is not kept"):
        code.history("half.py")
    with pytest.raises(SuggestionError, match="meanwhile"):
        bench.verifier.code(wanted.repository, wanted.number, bench.base, bench.credential)


def test_a_wrong_change_stays_rejected_and_a_private_repositorys_code_stays_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the tests that pass without it: what fails anyway counts for nobody."""
    repository = bench.repository({"half.py": HALF, "test_half.py": BROKEN}, private=True)
    suggestion = Suggestion("half.py", 2, 2, "    return n / 2\n")
    wanted = bench.wanted(repository, {"half.py": HALF.replace("2", "3")}, suggestion, asked=ASKED)
    found, asked = bench.verify(wanted)
    assert (found.case, found.decision, asked) == (Case.REPAIR_SUCCESS, BOUNCE, None), found.reasons
    assert found.original
    assert [result.name for result in found.original.results] == ["test_half.py::test_half"]
    assert found.patch is None
    assert bench.executor.jobs
    assert all(job.confidential for job in bench.executor.jobs)
    sources = (ExampleSource("issue 3", "Half of a number", ASKED),)
    ran = bench.verifier.check(replace(wanted, sources=sources), bench.credential)
    assert "3" in ran.examples.shown and ran.examples.still[0].startswith("issue 3, the first example: ")
    assert ran.patch is not None
    monkeypatch.setitem(bench.verifier.__dict__, "_executor", Elsewhere(name="actions"))
    found, _ = bench.verify(wanted)
    assert (found.case, found.decision) == (None, UNAVAILABLE)
    assert "confidential" in found.reasons[0]


def test_what_nothing_decides_is_asked_and_a_maintainers_answer_decides(bench: Bench) -> None:
    wanted = bench.story(STORIES["asked"])
    found, asked = bench.verify(wanted)
    assert (found.case, found.decision) == (Case.UNDECIDED, UNAVAILABLE), found.reasons
    assert asked is not None
    choice = AnswerChoice.B if found.difference and asked.b == found.difference.fix else AnswerChoice.A
    ruling = rule(asked, choice)
    Answers(bench.database).save(
        MaintainersAnswer(
            repo_id=wanted.repository.id,
            number=wanted.number,
            question=ruling.question,
            specification=ruling.specification,
            call=ruling.call,
            expected=ruling.stored,
            who="maintainer",
            at=datetime.now(UTC),
        )
    )
    found, asked = bench.verify(wanted)
    assert (found.case, found.decision, asked) == (Case.REPAIR_SUCCESS, BOUNCE, None), found.reasons


def test_a_change_cannot_redefine_the_command_that_judges_it(bench: Bench) -> None:
    files = {"half.sh": "echo $(($1 / 2))\n", "Makefile": 'check:\n\t[ "$$(sh half.sh 4)" = 2 ]\n'}
    change = {"half.sh": "echo 0\n", "Makefile": "check:\n\ttrue\n"}
    wanted = bench.wanted(bench.repository(files), change, Suggestion("half.sh", 1, 1, "echo $(( $1 / 2 ))\n"))
    policy = Policy(verify=Verify(setup=(), test="make check"))
    found, _ = bench.verify(replace(wanted, policy=policy))
    assert (found.case, found.decision) == (Case.REPAIR_SUCCESS, BOUNCE), found.reasons


def test_suggestions_that_do_not_fit(bench: Bench) -> None:
    repository = bench.repository({"half.py": HALF, "test_half.py": TEST})
    for suggestion in (Suggestion("half.py", 9, 9, "x\n"), Suggestion("other.py", 1, 1, "x\n")):
        with pytest.raises(SuggestionError):
            bench.verify(bench.wanted(repository, {"half.py": HALF + "\n"}, suggestion))
    assert bench.executor.jobs == []


def test_a_change_pushed_meanwhile(bench: Bench) -> None:
    repository = bench.repository({"half.py": HALF, "test_half.py": TEST})
    wanted = bench.wanted(repository, {"half.py": HALF + "\n"}, Suggestion("half.py", 2, 2, "    return n\n"))
    bench.github.push(bench.repo, {"half.py": HALF + "\n\n"}, branch=f"change-{wanted.number}")
    with pytest.raises(SuggestionError, match="meanwhile"):
        bench.verify(wanted)


def test_setup_that_fails_says_why(bench: Bench) -> None:
    repository = bench.repository({"half.py": HALF, "test_half.py": TEST})
    wanted = bench.wanted(repository, {"half.py": HALF + "\n"}, Suggestion("half.py", 2, 2, "    return n\n"))
    policy = Policy(verify=Verify(setup=("exit 3",), test="pytest"))
    found, asked = bench.verify(replace(wanted, policy=policy))
    assert (found.case, found.decision, asked) == (None, UNAVAILABLE, None)
    assert "setup failed" in found.reasons[0]


class Elsewhere(StandIn):
    """Sends code to other machines, as GitHub's are: refuses what is confidential."""

    def run(self, job: Job) -> Outcome:
        assert job.confidential
        return Outcome(Status.SANDBOX_ERROR, None, b"", b"", {}, 0.0, (), "this code is confidential")


def test_without_a_sandbox_nothing_is_even_checked(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Capabilities("bubblewrap", "", usable=False, problem="Nothing isolates here.")
    monkeypatch.setitem(bench.verifier.__dict__, "_executor", nothing)
    found = bench.verifier.check(bench.story(STORIES["rescued"]), bench.credential)
    assert (found.patch, found.problem) == (None, "Nothing isolates here.")


def test_without_a_sandbox_nothing_is_even_fetched(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = bench.repository({"half.py": HALF, "test_half.py": TEST})
    wanted = bench.wanted(repository, {"half.py": HALF + "\n"}, Suggestion("half.py", 2, 2, "    return n\n"))
    nothing = Capabilities("none", "", usable=False, problem="bubblewrap: it is not installed")
    monkeypatch.setitem(bench.verifier.__dict__, "_executor", nothing)
    found, asked = bench.verify(wanted)
    assert (found.case, found.decision, asked) == (None, UNAVAILABLE, None)
    assert found.reasons == (nothing.problem,)
    assert bench.executor.jobs == []


def test_a_tree_that_has_no_name_is_judged_all_the_same(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def outgrown(*asked: object) -> str:
        raise Rejected("the repository is larger than it may be here")

    wanted = bench.wanted(bench.repository({"half.py": HALF}), {"half.py": HALF + "\n"})
    assert bench.verifier._tree(wanted, bench.credential)
    monkeypatch.setattr(Mirrors, "merge_tree", outgrown)
    assert bench.verifier._tree(wanted, bench.credential) == ""
