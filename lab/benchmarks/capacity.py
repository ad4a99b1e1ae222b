"""What one judged issue, one judged pull request and one delivery take, and what follows for many repositories.

    python -m lab.benchmarks.capacity measure [--few 5] [--many 40] [--tests 0] [--postgresql]
    python -m lab.benchmarks.capacity tokens --data DIR
    python -m lab.benchmarks.capacity plan [--issues 20] [--pushes 40] [--deliveries 600] [--peak 10]
                                       [--verification 30]
                                       [--core-hour 0.04] [--gb-month 0.10]
                                       [--tokens-in PRICE] [--tokens-out PRICE] [--answer TOKENS]
    python -m lab.benchmarks.capacity models

`measure` runs the real `bouncer serve` and `bouncer worker` against the fake GitHub, on SQLite or on a PostgreSQL
server of its own, once with few pull requests (and ten times as many issues) and once with many; the difference,
divided by the difference in number, is what one takes: so starting up costs nothing. Processor time is that of both
processes, of all that they started, the sandbox too, and of the server. Half of the issues are vague. A pull request
changes one function of a small project and brings one test; nothing has to be installed. `--tests` gives the project
so many tests more, which pass.

`plan` multiplies. `ON_SQLITE` and `ON_POSTGRESQL` are what `measure` gave on the machines that BENCHMARKS.md names;
what a repository does in a month, how long your tests take and what a machine costs are yours to give. `models`
multiplies too, with example prices and with assumptions of its own.
"""

import argparse
import math
import resource
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sqlalchemy import func, select, union

from bot.judges.openai import prompts
from bot.judges.openai.issues import REPORT_BUDGET
from bot.storage.database import Database
from bot.storage.judgements import judgements
from bot.storage.ledger import decisions
from fake_github import FakeGitHub
from lab.benchmarks.acknowledge import BODY, VAGUE
from lab.benchmarks.processes import scratch, start, wait_for
from lab.data.issues import read_issues
from tests.support.postgres import running_server

REPOSITORY = "acme/prices"
POLICY = "mode: enforce\nverify:\n  setup: []\n  test: pytest\n"
SOURCE = "def total(prices):\n    return sum(prices[1:])\n"
TEST = "from prices import total\n\n\ndef test_nothing():\n    assert total([]) == 0\n"
ISSUES_TO_A_PULL = 10  # they are so much cheaper
CHARACTERS = 4  # of English in a token, roughly
TOKENS_IN = 1_629  # of one issue, as `tokens` says of 257 real ones
PATIENCE = 900.0  # seconds a run may take
HOURS, SECONDS = 730, 730 * 3600  # of a month
KEPT = 7 / 30.4  # of a month: how long deliveries and finished runs stay in the database
SIZES = (10, 100, 1_000, 10_000)
ONE_MACHINE = 8  # cores of the largest that is taken for one; workers that need more share PostgreSQL
CORE_HOUR, GB_MONTH = 0.04, 0.10  # dollars, assumed
PULL_QUESTIONS, PULL_TOKENS_IN = 10, 4_000  # assumed: questions about one pull request, and tokens of each
MONTHLY = (100, 1_000)  # issues, and pull requests, of which `models` says what they cost


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one subject. core_seconds: processor time, web and worker. kept: bytes of the database that stay. passing:
    bytes that are deleted after seven days."""

    core_seconds: float
    kept: float
    passing: float


@dataclass(frozen=True, slots=True)
class Measured:
    """deliveries: the most a second that one web process acknowledges within 100 ms (p99)."""

    issue: Cost
    pull: Cost
    deliveries: float


ON_SQLITE = Measured(issue=Cost(0.033, 3_230, 7_993), pull=Cost(5.504, 12_171, 21_533), deliveries=419)
ON_POSTGRESQL = Measured(issue=Cost(0.063, 3_359, 4_014), pull=Cost(6.8, 6_554, 18_842), deliveries=397)


@dataclass(frozen=True, slots=True)
class Activity:
    """Of one repository in a month. deliveries: all that GitHub sends, judged or not. verification: seconds of
    processor time that its own tests add to the judgement of a push. peak: the busiest hour over the mean."""

    issues: float
    pushes: float
    deliveries: float
    verification: float
    peak: float


@dataclass(frozen=True, slots=True)
class Plan:
    """For so many repositories: rates and cores at the peak, the rest in a month."""

    repositories: int
    database: str
    deliveries_a_second: float
    judgements_an_hour: float
    web_processes: int
    worker_cores: float
    core_hours: float
    verification_minutes: float
    gigabytes: float

    @property
    def cores(self) -> int:
        """That are always on: those of the workers' peak, and one for everything else."""
        return math.ceil(self.worker_cores) + 1


def plan(
    repositories: int, activity: Activity, sqlite: Measured = ON_SQLITE, postgresql: Measured = ON_POSTGRESQL
) -> Plan:
    """What they take, on SQLite as long as one machine does it."""
    alone = _plan(repositories, "SQLite", activity, sqlite)
    return alone if alone.cores <= ONE_MACHINE else _plan(repositories, "PostgreSQL", activity, postgresql)


def _plan(repositories: int, database: str, activity: Activity, measured: Measured) -> Plan:
    """Storage is what a month adds and, once, the seven days that pass."""
    issues, pushes = repositories * activity.issues, repositories * activity.pushes
    deliveries = repositories * activity.deliveries / SECONDS * activity.peak
    verification = pushes * (measured.pull.core_seconds + activity.verification)
    core_seconds = issues * measured.issue.core_seconds + verification
    kept = issues * measured.issue.kept + pushes * measured.pull.kept
    passing = (issues * measured.issue.passing + pushes * measured.pull.passing) * KEPT
    return Plan(
        repositories,
        database,
        deliveries,
        (issues + pushes) / HOURS * activity.peak,
        max(1, -int(-deliveries // measured.deliveries)),
        core_seconds / SECONDS * activity.peak,
        core_seconds / 3600,
        verification / 60,
        (kept + passing) / 1e9,
    )


@dataclass(frozen=True, slots=True)
class Prices:
    """What the operator pays, in one currency. core_hour, gb_month: of the machine. tokens_in, tokens_out: of a
    million, at a model. answer: the tokens of one answer of its. `None`: nothing is told that needs it."""

    core_hour: float = CORE_HOUR
    gb_month: float = GB_MONTH
    tokens_in: float | None = None
    tokens_out: float | None = None
    answer: float | None = None

    def machines(self, each: Plan) -> float:
        """With the storage of a year."""
        return each.cores * HOURS * self.core_hour + 12 * each.gigabytes * self.gb_month

    def model(self, questions: float, tokens: float = TOKENS_IN) -> float | None:
        """One question is one issue. A pull request takes from one question to dozens: that is for a ceiling to
        bound."""
        if self.tokens_in is None or self.tokens_out is None or self.answer is None:
            return None
        return questions * (tokens * self.tokens_in + self.answer * self.tokens_out) / 1e6


# The examples of docs/settings.md, in dollars. The lengths of answers are assumed: o4-mini reasons, and is paid for it.
MODELS = {
    "o4-mini": Prices(tokens_in=1.1, tokens_out=4.4, answer=2_000),
    "gpt-4.1": Prices(tokens_in=2, tokens_out=8, answer=500),
    "claude-sonnet-4-5": Prices(tokens_in=3, tokens_out=15, answer=500),
}


def model_table() -> str:
    """As docs/capacity.md shows it."""
    asked = {"issues": (1, TOKENS_IN), "pull requests": (PULL_QUESTIONS, PULL_TOKENS_IN)}
    rows = [["model", "a million tokens in, out", "answer, tokens"]]
    rows[0] += [f"{count:,} {what}" for what in asked for count in MONTHLY]
    for name, prices in MODELS.items():
        money = [prices.model(count * questions, tokens) for questions, tokens in asked.values() for count in MONTHLY]
        rows.append([f"`{name}`", f"{prices.tokens_in:g}, {prices.tokens_out:g}", f"{prices.answer:,}"])
        rows[-1] += [f"{one:,.2f}" for one in money if one is not None]
    return _shown(rows)


def table(plans: list[Plan], prices: Prices, issues: float) -> str:
    """As docs/capacity.md shows it; a model only where its prices are known. issues: of one repository in a month."""
    heads = ["repositories", "database", "deliveries a second, peak", "judgements an hour, peak", "web processes"]
    heads += ["worker cores, peak", "core hours", "verification minutes", "storage, GB", "machines, a month"]
    rows = [heads]
    for each in plans:
        cells = [f"{each.repositories:,}", each.database, f"{each.deliveries_a_second:.2f}"]
        cells += [f"{each.judgements_an_hour:,.0f}", f"{each.web_processes}", f"{each.worker_cores:,.2f}"]
        cells += [f"{each.core_hours:,.1f}", f"{each.verification_minutes:,.0f}", f"{each.gigabytes:,.2f}"]
        rows.append([*cells, f"{prices.machines(each):,.0f}"])
    models = [prices.model(each.repositories * issues) for each in plans]
    for row, told in zip(rows, ["model for issues, a month", *models], strict=True):
        if None not in models:
            row.append(told if isinstance(told, str) else f"{told:,.2f}")
    return _shown(rows)


def _shown(rows: list[list[str]]) -> str:
    shown = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([shown[0], "|---" * len(rows[0]) + "|", *shown[1:]])


def issues(github: FakeGitHub, count: int) -> None:
    for number in range(count):
        title, body = (f"Saving table {number} fails", BODY) if number % 2 else (f"Broken {number}", VAGUE)
        github.open_issue(REPOSITORY, title, body)


def pulls(github: FakeGitHub, count: int) -> None:
    for number in range(count):
        added = f"\n\ndef test_all_{number}():\n    assert total([100, {number}]) == {100 + number}\n"
        files = {"prices.py": SOURCE.replace("[1:]", ""), "tests/test_prices.py": TEST + added}
        github.open_pull(REPOSITORY, f"Count the first price {number}", files, by="copilot-swe-agent[bot]")


def took(act: Callable[[FakeGitHub, int], None], count: int, tests: int, postgresql: bool) -> tuple[float, Cost]:
    """Wall seconds from the first delivery to the last verdict, and all that a whole run took, PostgreSQL too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with ExitStack() as after_all:
        place = Path(after_all.enter_context(tempfile.TemporaryDirectory(prefix="bouncer-capacity-")))
        server = after_all.enter_context(running_server()) if postgresql else None
        url = server.create() if server else f"sqlite:///{place}/bouncer.db"
        with ExitStack() as stack:
            seconds = _run(stack, place, url, act, count, tests)
        kept, passing = sizes_on_postgresql(url) if server else sizes_on_sqlite(place)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, Cost(used, kept, passing)


def sizes_on_sqlite(place: Path) -> tuple[int, int]:
    sizes = {path.name: file_size(path) for path in place.glob("bouncer*.db")}
    kept = sizes.pop("bouncer.db")
    return kept, sum(sizes.values())


def sizes_on_postgresql(url: str) -> tuple[int, int]:
    """The bytes of all tables with their indexes: those that stay, and those of deliveries and runs."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM FULL")
        query = """
            SELECT schemaname = 'dbos' OR tablename = 'inbox',
                   sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)))
            FROM pg_tables WHERE schemaname IN ('public', 'dbos') GROUP BY 1
        """
        sizes: dict[bool, int] = dict(connection.execute(query).fetchall())
    return int(sizes[False]), int(sizes[True])


def file_size(path: Path) -> int:
    """The bytes of a database without the pages that are free and the log that is yet to be put in."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


def _run(
    stack: ExitStack, place: Path, url: str, act: Callable[[FakeGitHub, int], None], count: int, tests: int
) -> float:
    github = stack.enter_context(FakeGitHub())
    files = {".github/bouncer.yml": POLICY, "prices.py": SOURCE, "conftest.py": "", "tests/test_prices.py": TEST}
    if tests:
        files["tests/test_table.py"] = "".join(
            f"def test_row_{number}():\n    assert True\n" for number in range(tests)
        )
    github.create_repository(REPOSITORY, files=files)
    settings = github.environment() | {"BOUNCER_DATABASE_URL": url, "BOUNCER_CACHE_DIR": f"{place}/cache"}
    _, address = stack.enter_context(start("serve", settings))
    stack.enter_context(start("worker", settings))
    github.app.webhook_url = f"{address}/webhook"
    github.install("acme", [REPOSITORY])
    database = Database.open(url)
    started = time.monotonic()
    threading.Thread(target=act, args=(github, count), daemon=True).start()
    wait_for(lambda: count_judged(database) >= count, f"{count} verdicts", PATIENCE)
    return time.monotonic() - started


def count_judged(database: Database) -> int:
    """How many subjects have a verdict."""
    with database.main.connect() as connection:
        numbers = union(select(decisions.c.number), select(judgements.c.number)).subquery()
        return connection.execute(select(func.count()).select_from(numbers)).scalar_one()


def measure(few: int, many: int, tests: int, postgresql: bool) -> None:
    for name, act, times in (("issue", issues, ISSUES_TO_A_PULL), ("pull request", pulls, 1)):
        (short, less), (long, more) = (took(act, each * times, tests, postgresql) for each in (few, many))
        count = (many - few) * times
        print(
            f"one {name}: {(more.core_seconds - less.core_seconds) / count:.3f} s of a core, "
            f"{(long - short) / count:.3f} s of wall time on one worker, "
            f"{(more.kept - less.kept) / count:,.0f} bytes that stay, "
            f"{(more.passing - less.passing) / count:,.0f} bytes for seven days",
            flush=True,
        )


def print_tokens(data: Path) -> None:
    """How many tokens a model is sent for one issue: the prompt and what it is shown of the report, four characters a
    token. Of the annotated issues that are a nearly unbiased sample."""
    rows = read_issues(data / "issues_annotated.jsonl", only="in_devin570")
    prompt = prompts.load("issue-specification").characters
    tokens = sorted((prompt + min(len(row.text), REPORT_BUDGET)) / CHARACTERS for row in rows)
    print(
        f"{len(tokens)} issues: mean {statistics.mean(tokens):,.0f}, 95th of 100 {tokens[int(0.95 * len(tokens))]:,.0f}"
    )


def amount(text: str) -> float:
    """What an option of `plan` takes: no word that Python takes for a number, and nothing below zero."""
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: give a number of 0 or more")
    return number


def factor(text: str) -> float:
    """How much busier the busiest hour is than the mean, which it is a part of."""
    number = amount(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: give a number of 1 or more")
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_subparsers(dest="which", required=True)
    measuring = which.add_parser("measure")
    measuring.add_argument("--few", type=int, default=5)
    measuring.add_argument("--many", type=int, default=40)
    measuring.add_argument("--tests", type=int, default=0)
    measuring.add_argument("--postgresql", action="store_true")
    which.add_parser("tokens").add_argument("--data", type=Path, required=True)
    planning = which.add_parser("plan")
    for name, default in (("issues", 20), ("pushes", 40), ("deliveries", 600), ("verification", 30)):
        planning.add_argument(f"--{name}", type=amount, default=default)
    planning.add_argument("--peak", type=factor, default=10)
    planning.add_argument("--core-hour", type=amount, default=CORE_HOUR)
    planning.add_argument("--gb-month", type=amount, default=GB_MONTH)
    for name in ("tokens-in", "tokens-out", "answer"):
        planning.add_argument(f"--{name}", type=amount)
    which.add_parser("models")
    options = parser.parse_args()
    if options.which == "measure":
        with scratch():
            measure(options.few, options.many, options.tests, options.postgresql)
    elif options.which == "tokens":
        print_tokens(options.data)
    elif options.which == "models":
        print(model_table())
    else:
        activity = Activity(options.issues, options.pushes, options.deliveries, options.verification, options.peak)
        paid = (options.core_hour, options.gb_month, options.tokens_in, options.tokens_out, options.answer)
        print(table([plan(size, activity) for size in SIZES], Prices(*paid), options.issues))


if __name__ == "__main__":
    main()
