"""What people copy from the pages works: policies, the tutorial's reports, the proxies' paths, completion."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from click.shell_completion import ShellComplete, get_completion_class
from pydantic import SecretStr

from bot.cli import all_commands, main
from bot.issues.decide import decide_issue
from bot.issues.exemptions import why_exempt
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.policy import Policy
from bot.policy_file import load
from bot.reports import IssueText
from bot.settings import Settings
from bot.verdicts import Decision
from lab.benchmarks.capacity import MODELS, SIZES, Activity, Prices, model_table, plan, table
from tests.docs.pages import DOCS, ROOT
from tests.docs.tables import PLAN_TABLE, PRICES_TABLE
from tests.support.cases import cases
from tests.support.databases import Databases
from webhooks.app import create_app


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def verdict(title: str, body: str) -> Decision | None:
    report = parse(IssueText(title, body))
    facts = IssueFacts(report, OfflineJudge().judge(report), "reporter", "none", False, (), "open", False)
    return decide_issue(facts, Policy()).decision


def test_the_first_issue_of_a_new_installation_is_held_for_whoever_installed_it_too() -> None:
    """Owners are exempt in a public repository: each page that proposes an issue says so, and how it works anyway."""
    shared = (ROOT / "webhooks/templates/_first_issue.html").read_text(encoding="utf-8")
    for template in ("webhooks/templates/installed.html", "bot/setup/templates/setup_done.html"):
        assert '{% include "_first_issue.html" %}' in (ROOT / template).read_text(encoding="utf-8")
    policies = re.findall(r"<code>(issues: .+?)</code>", shared)
    policies += re.findall(r"```yaml\n(issues:\n(?:.+\n)+)```", page("installation.md"))
    assert len(policies) == 2
    for text, policy in zip((shared, page("installation.md")), policies, strict=True):
        said = " ".join(text.split())
        assert "from an account without a role in the repository" in said
        (words,) = re.findall('that says only [“"](.+?)[”"]', said)
        report = parse(IssueText(words, ""))
        facts = IssueFacts(report, OfflineJudge().judge(report), "me", "owner", False, (), "open", False, private=False)
        assert why_exempt(facts, Policy()) and not why_exempt(facts, load(policy))
        assert decide_issue(facts, load(policy)).decision is Decision.BOUNCE


def test_the_issue_to_try_is_held_until_it_is_answered() -> None:
    (title,) = re.findall('that says only "(.+?)"', page("installation.md"))
    assert verdict(title, "") is Decision.BOUNCE
    answered = 'I run `export db.sqlite` with version 2.3. It prints "Error: no such table". It should write a file.'
    assert verdict(title, answered) is Decision.ACCEPT


def test_the_proxies_close_what_is_not_public_and_nothing_else(databases: Databases) -> None:
    text = page("operation.md")
    (closed,) = re.findall(r"^\| (`/.*`) \|.*\| no \|$", text, re.MULTILINE)
    paths = set(re.findall(r"/\w+", closed))
    (caddy,) = re.findall(r"@inside path (.+)$", text, re.MULTILINE)
    (nginx,) = re.findall(r"location ~ \^/\((.+)\)\$", text)
    assert "proxy_set_header Host $host;" in text, "else nginx sends 127.0.0.1:8000"
    assert paths == set(caddy.split()) == {f"/{name}" for name in nginx.split("|")}
    database, secret = databases.empty(), "0123456789abcdef" * 2
    settings = Settings(webhook_secret=SecretStr(secret), database_url=database)
    rules = {rule.rule for rule in create_app(settings).url_map.iter_rules()}
    told = set(re.findall(r"`(/[a-z.-]*)/?`", "".join(re.findall(r"^\| `/.*$", text, re.MULTILINE))))
    served = {f"/{rule.split('/')[1]}" for rule in rules}
    assert told == served | {"/setup"}, "each path that is served, and no other"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(shell: str) -> None:
    assert f"_BOUNCER_COMPLETE={shell}_source bouncer" in page("command-line.md")
    completion = get_completion_class(shell)
    assert completion is not None
    source = completion(main, {}, "bouncer", "_BOUNCER_COMPLETE").source()
    assert "_BOUNCER_COMPLETE" in source
    if which(shell):
        subprocess.run([shell, "-n"], input=source, text=True, check=True)


COMPLETED = {"pol": "policy", "judge issue --strictness ": "lenient balanced strict", "judge issue rep": "report.md"}


def test_bash_completes_commands_options_values_and_files(tmp_path: Path) -> None:
    """In a bash, by the line of the page; `compopt`, which Tab alone may call, says that it asks for files."""
    (line,) = re.findall(r"^\| bash .*`(eval .+)` \|$", page("command-line.md"), re.MULTILINE)
    tries = "".join(f"try {shlex.quote('bouncer ' + typed)}\n" for typed in COMPLETED)
    script = f"""{line}
    compopt() {{ [ "$1 $2" = "-o default" ] && COMPREPLY=("${{COMP_WORDS[COMP_CWORD]}}"*); }}
    try() {{
        IFS=" " read -ra COMP_WORDS <<< "$1"
        [[ $1 = *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMPREPLY=()
        _bouncer_completion bouncer
        echo "${{COMPREPLY[*]}}"
    }}
    {tries}"""
    (tmp_path / "report.md").touch()
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(["bash", "-c", script], env={"PATH": path}, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stderr, done.stdout.splitlines()) == ("", list(COMPLETED.values()))


@cases
def test_files_are_completed_wherever_one_may_stand(typed: str) -> None:
    found = ShellComplete(main, {}, "bouncer", "_BOUNCER_COMPLETE").get_completions(typed.split(), "rep")
    assert [(item.type, item.value) for item in found] == [("file", "rep")]


def test_the_commands_are_completed_with_what_they_do_and_none_is_imported() -> None:
    inside = "name.startswith(('bot.commands.', 'lab.commands.'))"
    tells = f"atexit.register(lambda: print(*(name for name in sys.modules if {inside})))"
    start = f"import atexit, sys; from bot.cli import main; {tells}; main(prog_name='bouncer')"
    asked = {"_BOUNCER_COMPLETE": "zsh_complete", "COMP_WORDS": "bouncer ", "COMP_CWORD": "1", "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", start], env=asked, cwd=ROOT, capture_output=True, text=True)
    *told, imported = done.stdout.splitlines()
    assert told == [said for name, (_, does) in all_commands().items() for said in ("plain", name, does)]
    assert imported == "bot.commands.lazy"


def test_the_tables_of_the_page_are_what_the_command_prints() -> None:
    rows = re.findall(r"^\| `--([a-z-]+)` \|.*\| ([\d.]+) \|$", page("capacity.md"), re.M)
    given = {name: float(number) for name, number in rows}
    prices = Prices(given.pop("core-hour"), given.pop("gb-month"))
    activity = Activity(**given)
    printed = table([plan(size, activity) for size in SIZES], prices, activity.issues), model_table()
    assert [each in page("capacity.md") for each in printed] == [True, True]
    assert all(each.startswith(heading) for each, heading in zip(printed, (PLAN_TABLE, PRICES_TABLE), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_the_prices_of_the_models_are_those_that_the_page_on_settings_shows(name: str) -> None:
    told = re.findall(r'(?i)price_(?:in|out)"?[:=] ?([\d.]+)', page("settings.md").partition(name)[2])
    assert [float(price) for price in told[:2]] == [MODELS[name].tokens_in, MODELS[name].tokens_out]
