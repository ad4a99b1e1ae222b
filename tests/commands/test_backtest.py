"""`bouncer backtest` on an export: terminal, JSON and page say the same."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from bot.cli import main
from bot.policy_choices import Strictness
from bot.policy_file import load
from tests.backtest.exports import ASKED, CLEAR, DONE, FIXED, VAGUE, Exported, write_export
from tests.support.clones import commit, initialise
from tests.support.model import Scripted, ScriptedModel, completion, reword
from tests.support.waiting import eventually

HOSTILE = "<script>alert(1)</script> fails"
ISSUES = [
    *(Exported(number, *VAGUE, (ASKED, DONE)) for number in range(1, 9)),
    *(Exported(number, *CLEAR, (FIXED,)) for number in range(9, 14)),
    Exported(14, *VAGUE, (FIXED,)),
    Exported(15, HOSTILE, VAGUE[1], (FIXED,)),
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["backtest", *map(str, arguments)])


@pytest.fixture
def export(tmp_path: Path) -> Path:
    folder = tmp_path / "export"
    folder.mkdir()
    return write_export(folder, ISSUES)


def test_terminal_json_and_page_say_the_same(export: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told, text = run(export, "--json"), run(export, "--page", page).stdout
    document, html = json.loads(told.stdout), page.read_text(encoding="utf-8")
    strict = next(row for row in document["rows"] if (row["strictness"], row["kind"]) == ("strict", "all"))
    assert (strict["held"], strict["right"], strict["wrong"]) == (10, 8, 2)
    assert (document["chosen"], document["reached"]) == ("strict", True)
    assert re.search(r"80% of 10 .*\n.*\(49-94\)", text) and "80% (49% to 94%; 8 of 10)" in html
    agree = "strict and people's actions agree: 87% (62% to 96%; 13 of 15); kappa 0.73."
    assert agree in text and agree in unescape(html)
    assert "#15" in text and "#15" in html and document["doubtful"][0]["number"] == 15
    assert document["policy"] in text and document["policy"] in html
    assert load(document["policy"]).issues.strictness is Strictness.STRICT
    assert document["repository"] == "acme/widgets"


def test_the_page_needs_nothing_beside_it_and_nobody_writes_into_it(export: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run(export, "--page", page)
    html = page.read_text(encoding="utf-8")
    assert "<script" not in html and "&lt;script&gt;" in html
    assert not re.search(r'(?:src|href)="(?!https://github\.com/acme/widgets/issues/\d+")', html)
    assert "default-src 'none'" in html


def test_who_would_be_asked_stands_beside_what_is_held(export: Path, tmp_path: Path) -> None:
    """In the table, the JSON and the page, where the list of issues says so of each."""
    page = tmp_path / "page.html"
    words = ("--precision", "0.85")  # which `strict` misses: it holds all that it would ask about
    told, text = run(export, *words, "--json"), run(export, *words, "--page", page).stdout
    document, html = json.loads(told.stdout), page.read_text(encoding="utf-8")
    row = next(row for row in document["rows"] if (row["strictness"], row["kind"]) == ("balanced", "all"))
    assert (row["held"], row["asked"], row["left_alone"], row["unjudged"]) == (9, 1, 5, 0)
    assert (row["rightly"], row["needlessly"], row["asking"]["share"]) == (0, 1, 0.0)
    assert re.search(r"\nbalanced +9 +1 +5 89% of 9 +0% of 1 ", text)
    assert '<td class="n">9</td><td class="n">1</td><td class="n">5</td>' in html
    assert "<td>0% (0% to 79%; 0 of 1)</td>" in html
    for shown in (" ".join(text.split()), " ".join(html.split()).replace("issues.ask", "`issues.ask")):
        assert "Asked: one or two questions, and nothing waits. That needs `issues.ask: always" in shown
    assert [(each["number"], each["verdict"]) for each in document["spoken_to"]][-2:] == [(1, "held"), (15, "asked")]
    assert "<td>asked. " in html and "<td>held. " in html


def test_what_could_not_be_judged_is_said_below_the_table(export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in none of its columns."""
    assert "could not be judged" not in run(export).stdout
    for name, value in (("JUDGE", "openai"), ("MODEL", "m"), ("MODEL_BASE_URL", "http://127.0.0.1:9/v1")):
        monkeypatch.setenv(f"BOUNCER_{name}", value)
    told = run(export, "--yes", "--issues", "1")
    assert "balanced: 1 could not be judged." in told.stdout, told.output


def test_a_single_issue_is_one(export: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = run(export, "--issues", 1, "--page", page).stdout
    assert "acme/widgets: 1 issue read, as it was opened." in text
    assert "<p>1 issue was read, each" in page.read_text(encoding="utf-8")


def test_what_is_not_reached_proposes_to_observe(export: Path) -> None:
    told = json.loads(run(export, "--json", "--precision", "0.95").stdout)
    assert (told["reached"], told["policy"]) == (False, "mode: observe\n")
    assert yaml.safe_load(told["policy"]) == {"mode": "observe"}


def test_what_is_left_out_is_said(export: Path) -> None:
    (export / "edits.jsonl").unlink()
    text = " ".join(run(export).stdout.split())
    assert "Texts count as they are today, unless they say that they were edited." in text
    assert "Issue templates are not known" in text
    issues = [replace(each, body=f"{each.body}\n\nEDIT: see below") for each in ISSUES]
    write_export(export, [replace(each, edits=None) for each in issues])
    text = " ".join(run(export).stdout.split())
    assert "In no figure: 15, whose text was edited" in text
    assert "%" not in text.partition("How those ended")[0].partition("right held of")[2].partition("right:")[0]


def test_the_table_fits_a_terminal_of_80_columns(export: Path) -> None:
    lines = run(export).stdout.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("strictness"))
    assert max(map(len, lines[start - 1 : lines.index("", start)])) <= 80


def test_templates_are_those_of_the_day(tmp_path: Path) -> None:
    """One that came later takes no word away from a report; the one of its day takes its own away."""
    body = f"{VAGUE[1]}\nSay `Error: no tea` in kettle 2.4 when I run `kettle export`; it should write a file."
    export = tmp_path / "export"
    export.mkdir()
    write_export(export, [Exported(1, VAGUE[0], body, (FIXED,))])
    hint = body.splitlines()[1] + "\n"
    seen = {}
    for name, when in (("before", "2026-02-01T10:00:00Z"), ("after", "2026-04-01T10:00:00Z")):
        clone = initialise(tmp_path / name)
        commit(clone, {"README.md": "x"}, when="2026-01-01T10:00:00Z")
        commit(clone, {".github/ISSUE_TEMPLATE/bug.md": hint}, when=when)
        seen[name] = json.loads(run(export, "--clone", clone, "--json").stdout)
    assert seen["before"]["rows"] != seen["after"]["rows"]


def test_a_policy_is_kept_to(export: Path, tmp_path: Path) -> None:
    policy = tmp_path / "bouncer.yml"
    policy.write_text("issues:\n  exempt:\n    authors: [reporter]\n")
    told = json.loads(run(export, "--policy", policy, "--json").stdout)
    assert told["skipped"] == {"its author is exempt": len(ISSUES)}


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda folder: (folder / "issues.jsonl").unlink(), "there is no issues.jsonl in it"),
        (lambda folder: (folder / "timeline.jsonl").unlink(), "there is no timeline.jsonl in it"),
        (lambda folder: (folder / "issues.jsonl").write_text("{]\n\n"), "line 1: this is not JSON"),
        (lambda folder: (folder / "issues.jsonl").write_text(""), "there is no issue in it"),
    ],
)
def test_bad_input_is_said_plainly(break_it: object, said: str, export: Path) -> None:
    break_it(export)  # type: ignore[operator]
    told = run(export, "--json")
    assert (told.exit_code, said in told.stderr, "Traceback" in told.output) == (2, True, False)
    assert said in json.loads(told.stdout)["error"]


def test_a_precision_that_is_no_number_is_refused(export: Path) -> None:
    told = run(export, "--precision", "nan")
    assert (told.exit_code, "is not in the range" in told.stderr) == (2, True)


def test_a_page_that_cannot_be_written_is_said_plainly(export: Path, tmp_path: Path) -> None:
    told = run(export, "--page", tmp_path / "no" / "page.html")
    assert (told.exit_code, "Name a file that can be written." in told.stderr) == (2, True)


def test_a_models_answers_are_paid_for_once_and_only_after_a_yes(
    export: Path, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was answered before a run was stopped is not asked again."""
    settings = scripted_model.settings()
    for name, value in (
        ("JUDGE", "openai"),
        ("MODEL", settings.model),
        ("MODEL_BASE_URL", settings.model_base_url),
        ("MODEL_PRICE_IN", "2"),
        ("CACHE_DIR", str(tmp_path / "cache")),
    ):
        monkeypatch.setenv(f"BOUNCER_{name}", value)
    refused = run(export, "--json")
    assert (refused.exit_code, "--issues asks fewer" in refused.stderr) == (2, True), refused.output
    assert "3 questions to" in refused.stderr and scripted_model.requests == []
    scripted_model.always(completion(label="VAGUE"))
    assert json.loads(run(export, "--json", "--yes", "--issues", "1").stdout)["calls"] == 1
    told = json.loads(run(export, "--json", "--yes").stdout)
    asked = len(scripted_model.requests)
    again = json.loads(run(export, "--json").stdout)  # nothing is left to agree to
    assert len(scripted_model.requests) == asked == 3  # the same texts were asked about once
    assert (again["calls"], again["money"], again["rows"]) == (0, 0.0, told["rows"])
    (kept,) = (tmp_path / "cache").rglob("answers-*.jsonl")
    head, first, *more = kept.read_text().splitlines()
    kept.write_text("\n".join([head, json.dumps([json.loads(first)[0], {"of": "another version"}]), *more]))
    assert json.loads(run(export, "--json", "--yes").stdout)["rows"] == told["rows"]
    assert len(scripted_model.requests) == asked + 1
    reword(monkeypatch, "issue-specification")
    run(export, "--json", "--yes")
    assert len(scripted_model.requests) == 2 * asked + 1, "answers to another prompt are none"


def test_ctrl_c_says_that_the_same_command_goes_on(export: Path, scripted_model: ScriptedModel, tmp_path: Path) -> None:
    scripted_model.script(completion(label="VAGUE"))
    scripted_model.always(Scripted(stall=True))
    settings = scripted_model.settings()
    told = {"MODEL": settings.model, "MODEL_BASE_URL": str(settings.model_base_url), "CACHE_DIR": str(tmp_path / "c")}
    environment = os.environ | {"BOUNCER_JUDGE": "openai"} | {f"BOUNCER_{name}": value for name, value in told.items()}
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "backtest", str(export), "--yes"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        eventually(lambda: len(scripted_model.requests) == 2)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=300)
    assert running.returncode == -signal.SIGINT, "which shells call 130"
    assert said.endswith("is kept: the same command goes on from there.\n") and "Traceback" not in said
    (kept,) = (tmp_path / "c").rglob("answers-*.jsonl")
    assert len(kept.read_text().splitlines()) == 2, "its head, and the answer that was paid"
