"""`bouncer judge`: one document on stdout, plain refusals with exit 2, and predictions written whole."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.commands import judge as judge_command
from bot.commands.judge import judge
from bot.demo.scenario import STORIES, Story
from bot.judges.offline.issues import OfflineJudge
from bot.judges.protocol import Judgement, NoJudgement
from bot.reports import Report
from fake_github import FakeGitHub
from tests.support.cases import cases

VAGUE = "It does not work\nplease fix asap"
CLEAR = "`parse('')` raises IndexError\nIt should return an empty list. 2.1.0."
GERMAN = (
    "Speichern leerer Kontakte verdoppelt Einträge\nWenn man im Kontaktformular den Namen leer lässt und auf Speichern"
    " klickt, verschwindet der Dialog, die Liste bleibt jedoch unverändert, während ältere Einträge doppelt erscheinen."
)
KEYS = ["verdict", "label", "probability", "judge", "kind", "missing", "questions", "reasoning", "evidence"]
pytestmark = pytest.mark.usefixtures("offline")


def run(*arguments: object, stdin: str = "") -> Result:
    return CliRunner().invoke(judge, [str(argument) for argument in arguments], input=stdin)


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(name: str, text: str | None) -> dict[str, Any]:
    return {"instance_id": name, "problem_statement": text}


def test_the_repositorys_templates_are_no_part_of_the_issue(tmp_path: Path) -> None:
    hint = "Tell us the grams that the scale shows, with the bowl, the spoon and the lid."
    write_in = {"bug.md": f"---\nname: Bug\n---\n## What\n{hint}\n", "big.yml": "x" * 200_000}
    for name, text in write_in.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = ("issue", "-", "--json", "--templates")
    sent = f"Broken\n## What\n{hint}\n"
    document = json.loads(run(*told, tmp_path, stdin=sent).stdout)
    assert document["verdict"] == "BOUNCE"
    assert "empty_section" in [found["check"] for found in document["evidence"]]
    without = json.loads(run("issue", "-", "--json", stdin=sent).stdout)
    assert "empty_section" not in [found["check"] for found in without["evidence"]]
    assert run(*told, tmp_path / "none", stdin=sent).exit_code == 2


@pytest.mark.parametrize(
    ("name", "text", "verdict", "code"),
    [
        ("a.md", "# " + VAGUE, "BOUNCE", 0),
        ("a.md", CLEAR.replace("\n", "\r\n"), "ACCEPT", 0),
        ("a.json", json.dumps({"title": "It does not work", "body": None}), "BOUNCE", 0),
        ("a.json", json.dumps({"title": "It does not work", "labels": [{"name": "kind/task"}]}), "ACCEPT", 0),
        ("a.json", json.dumps({"title": "It does not work", "labels": ["bug", "needs-release"]}), "BOUNCE", 0),
        ("a.txt", json.dumps({"title": CLEAR.split("\n")[0], "body": CLEAR.split("\n")[1]}), "ACCEPT", 0),
        ("a.md", GERMAN, "ACCEPT", 0),
        ("a.md", "", "BOUNCE", 0),
    ],
)
def test_one_issue(tmp_path: Path, name: str, text: str, verdict: str, code: int) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    done = run("issue", tmp_path / name, "--json")
    document = json.loads(done.stdout)
    assert (document["verdict"], done.exit_code) == (verdict, code)
    assert list(document) == KEYS
    shown = run("issue", tmp_path / name)
    assert verdict in shown.stdout
    assert shown.exit_code == code


def test_the_questions_are_shown_in_the_language_they_are_put_in(tmp_path: Path) -> None:
    """As the comment has them, on every surface."""
    text = (
        "# No funciona la exportación\n\nHola, desde la última actualización no funciona la exportación. ¿Pueden verlo?"
    )
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    (tmp_path / "english.yml").write_text("issues:\n  comment:\n    language: en\n", encoding="utf-8")
    asked, english = (
        json.loads(run("issue", tmp_path / "a.md", "--json", *more).stdout)["questions"]
        for more in ((), ("--policy", tmp_path / "english.yml"))
    )
    assert "¿Qué " in asked[0] and "What " in english[0]
    assert "¿Qué " in run("issue", tmp_path / "a.md").stdout


def test_standard_input() -> None:
    assert json.loads(run("issue", "-", "--json", stdin=VAGUE).stdout)["verdict"] == "BOUNCE"


def test_a_maintainers_label_asks_where_the_policy_says_so(tmp_path: Path) -> None:
    title, _, body = CLEAR.partition("\n")
    told = {"title": title, "body": body.replace("2.1.0.", ""), "labels": ["Needs-Clarification"]}
    (tmp_path / "a.json").write_text(json.dumps(told))
    for wanted in ("false", "true"):
        (tmp_path / "policy.yml").write_text(f"issues: {{ask_on_label: {wanted}}}")
        document = json.loads(run("issue", tmp_path / "a.json", "--json", "--policy", tmp_path / "policy.yml").stdout)
        assert (document["verdict"], bool(document["questions"])) == ("ACCEPT", wanted == "true")


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (None, (), "No such file"),
        (b"\xff\xfe", (), "not UTF-8"),
        (b'{"title": 3}', (), '"title" is missing'),
        (b'{"title": "a", "body": []}', (), '"body" is not a text'),
        (b"x", ("--policy", "/nowhere.yml"), "Name a policy file"),
    ],
)
def test_bad_input_is_refused_with_the_mend(
    tmp_path: Path, content: bytes | None, arguments: tuple[str, ...], said: str
) -> None:
    path = tmp_path / "a.md"
    if content is not None:
        path.write_bytes(content)
    done = run("issue", path, "--json", *arguments)
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert said in done.stderr


@pytest.mark.parametrize(("story", "verdict"), [(STORIES[0], "BOUNCE"), (STORIES[1], "ACCEPT")])
def test_a_public_issue_on_github(public_github: FakeGitHub, story: Story, verdict: str) -> None:
    number = public_github.open_issue("acme/widgets", story.title, story.body)
    done = run("issue", f"{public_github.web_url}/acme/widgets/issues/{number}", "--json")
    assert (done.exit_code, json.loads(done.stdout)["verdict"]) == (0, verdict), done.output
    assert public_github.writes("acme/widgets") == []


def test_a_private_issue_is_not_told_from_an_absent_one(public_github: FakeGitHub) -> None:
    public_github.create_repository("acme/secret", private=True)
    number = public_github.open_issue("acme/secret", "Export is broken", "It does not work.")
    for address in (f"secret/issues/{number}", "widgets/issues/999"):
        done = run("issue", f"{public_github.web_url}/acme/{address}", "--json")
        assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
        assert "there is no such issue, or it is private" in done.stderr
    wrong = run("issue", f"{public_github.web_url}/acme/widgets/pulls")
    assert (wrong.exit_code, "OWNER/NAME/issues/1" in wrong.stderr) == (2, True)


def test_many_issues(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", row("a", VAGUE), row("b", CLEAR), row("c", GERMAN), row("d", None))
    out = tmp_path / "out.json"
    done = run("issues", file, "--out", out, "--json", "--judge", "offline")
    assert done.exit_code == 0
    figures = json.loads(done.stdout)
    assert (figures["issues"], figures["bounced"], figures["accepted"], figures["unavailable"]) == (4, 2, 2, 0)
    predictions = json.loads(out.read_text(encoding="utf-8"))
    assert list(predictions) == ["a", "b", "c", "d"]
    assert [one["input_bounce"] for one in predictions.values()] == [True, False, False, True]
    assert all(set(one) == {"input_bounce", "probability", "label", "trace"} for one in predictions.values())
    assert list(tmp_path.iterdir()) == [file, out] or set(tmp_path.iterdir()) == {file, out}


@cases
def test_a_bad_file_names_its_line_and_nothing_is_written(text: str, said: str, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.json"
    file.write_text(text, encoding="utf-8")
    out.write_text("old", encoding="utf-8")
    done = run("issues", file, "--out", out, "--json")
    assert (done.exit_code, list(json.loads(done.stdout))) == (2, ["error"])
    assert said in done.stderr
    assert out.read_text(encoding="utf-8") == "old"


def test_other_fields_and_a_milder_cut(tmp_path: Path) -> None:
    file = write(tmp_path / "in.jsonl", {"id": "a", "text": VAGUE})
    out = tmp_path / "out.json"
    done = run("issues", file, "--id-field", "id", "--text-field", "text", "--out", out, "--strictness", "lenient")
    assert done.exit_code == 0
    assert "lenient" in done.stdout


def test_nothing_judged_is_exit_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(OfflineJudge):
        def judge(self, report: Report) -> NoJudgement:  # type: ignore[override]
            return NoJudgement(self.name, "It does not answer.", retry=True)

    monkeypatch.setattr(judge_command, "make_judge", lambda *_: Silent())
    file = write(tmp_path / "in.jsonl", row("a", GERMAN))
    assert run("issues", file, "--out", tmp_path / "out.json").exit_code == 3


def test_the_command_loads_no_server_and_no_model_library() -> None:
    code = (
        "import sys, bot.cli; bot.cli.main.get_command(None, 'judge').get_command(None, 'issue');"
        "unwanted = {'flask', 'dbos', 'openai', 'sqlalchemy', 'github', 'numpy', 'bot.verification.fix_guided.filter'};"
        "sys.exit(bool(unwanted & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_many_issues_go_on_where_they_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "in.jsonl", row("a", VAGUE), row("b", CLEAR), row("c", VAGUE))
    out, asked = tmp_path / "out.json", []

    class Breaking(OfflineJudge):
        def judge(self, report: Report) -> Judgement:
            if len(asked) == 2:
                asked.append("stopped")
                raise KeyboardInterrupt
            asked.append(report.visible_title)
            return super().judge(report)

    monkeypatch.setattr(judge_command, "make_judge", lambda *_: Breaking())
    stopped = run("issues", file, "--out", out)
    assert (stopped.exit_code, out.exists()) == (130, False)
    assert "stopped after 2 of 3. The same command goes on from there." in stopped.stderr
    assert run("issues", file, "--out", out).exit_code == 0
    assert len(asked) == 4  # the third alone
    assert set(tmp_path.iterdir()) == {file, out}
    assert list(json.loads(out.read_text(encoding="utf-8"))) == ["a", "b", "c"]
