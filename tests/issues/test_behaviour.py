"""What an issue asks for, what it says is broken, and how far it is within a coding agent's reach."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.issues.agent_reach import CHECK, WEIGHTS, AgentPast, packaged, reach
from bot.issues.decide import decide_issue
from bot.issues.kind import asked_as, asks_for_behaviour, asks_for_documentation
from bot.issues.parse import parse
from bot.issues.wording import BREAKS, WHEN
from bot.rendering.issue_page import issue_page
from bot.rendering.issue_view import issue_json, verdict_view
from bot.reports import IssueText, Reply
from bot.verdicts import Decision, IssueKind, Item, SpecificationLabel, State
from tests.issues.builders import facts, judgement, policy, report
from tests.support.cases import cases


@cases
def test_what_asks_for_behaviour(title: str, asks: bool) -> None:
    assert asks_for_behaviour(title, "It is so since the last release.", ()) is asks


@pytest.mark.parametrize("title", ["help", "Help needed", "help me", "Q: width", "[question] w"])
def test_who_asks_for_help_asks_a_question(title: str) -> None:
    assert asked_as(title, "", broken=False) is IssueKind.QUESTION


@cases
def test_a_label_that_says_so_outweighs_the_others(title: str, body: str, labels: tuple[str, ...], asks: bool) -> None:
    assert asks_for_behaviour(title, body, labels) is asks


@cases
def test_asked_for_words(title: str, labels: tuple[str, ...]) -> None:
    assert asks_for_documentation(title, labels)


@cases
def test_asked_for_more(title: str, labels: tuple[str, ...]) -> None:
    assert not asks_for_documentation(title, labels)


def test_hostile_titles_cost_little() -> None:
    for title in ("add " * 100_000, "docs " * 100_000, "fix `.`" * 100_000, "<!--" * 100_000, "\0" * 300_000):
        assert isinstance(asks_for_documentation(title, (title,)), bool)


TOP = "kettle 2.4.1, Python 3.12.\n\n```python\nfrom kettle import pour\nprint(pour(3))\n```\n\n"


@cases
def test_an_example_says_what_is_expected(below: str, expected: str | None) -> None:
    report = parse(IssueText("pour() spills the last cup", TOP + below))
    assert report.items.get(Item.EXPECTED) == expected


# Language -> it does not work; the same, with the moment in which it does not; what goes wrong instead.
SAID = {
    "en": ("The export doesn't work", "The export fails when I choose PDF", "The export loses the header row"),
    "zh": ("导出打不开", "点击导出以后打不开", "导出的表格少一行"),
    "ja": ("書き出しができません", "書き出しを押すと落ちます", "書き出した表が一行少ない"),
    "ko": ("내보내기가 안 됩니다", "내보내기를 누르면 멈춥니다", "내보낸 표에 한 줄이 없습니다"),
    "ru": ("Экспорт не работает", "Экспорт не работает, когда выбран PDF", "В таблице не хватает строки"),
    "uk": ("Експорт не працює", "Експорт не працює, коли вибрано PDF", "У таблиці бракує рядка"),
    "es": ("La exportación no funciona", "No funciona cuando elijo PDF", "A la tabla le falta una fila"),
    "pt": ("A exportação não funciona", "Não funciona quando escolho PDF", "Falta uma linha na tabela"),
    "fr": ("L'export ne marche pas", "Ne marche pas quand je choisis PDF", "Il manque une ligne au tableau"),
    "de": ("Der Export funktioniert nicht", "Funktioniert nicht, wenn ich PDF nehme", "Eine Zeile fehlt"),
    "it": ("L'esportazione non funziona", "Non funziona quando scelgo PDF", "Alla tabella manca una riga"),
    "pl": ("Eksport nie działa", "Eksport nie działa, gdy wybieram PDF", "W tabeli brakuje wiersza"),
    "tr": ("Dışa aktarma çalışmıyor", "PDF seçince çalışmıyor", "Tabloda bir satır eksik"),
    "vi": ("Không mở được", "Không mở được khi chọn PDF", "Bảng thiếu một dòng"),
    "id": ("Ekspor tidak bisa", "Ekspor tidak bisa kalau pilih PDF", "Tabel kurang satu baris"),
    "nl": ("De export werkt niet", "De export werkt niet als ik PDF kies", "De tabel mist een rij"),
}


@pytest.mark.parametrize("language", SAID)
def test_what_does_not_work_is_told_from_what_happens_instead(language: str) -> None:
    fails, when, instead = SAID[language]
    assert BREAKS.search(fails) and not WHEN.search(fails)
    assert BREAKS.search(when) and WHEN.search(when)
    assert not BREAKS.search(instead)


@cases
def test_what_a_reporter_quotes_is_somebody_elses(body: str, own: str, others: str) -> None:
    text = IssueText("t", "> as it stands", (Reply("ann", True, body), Reply("bob", False, "> Me\ntoo.")))
    assert text.reporters == IssueText("t", "> as it stands", (Reply("ann", True, own),))
    assert text.others == (others, "> Me\ntoo.")


WELL, REASONABLY, VAGUE, IMPOSSIBLE = SpecificationLabel
REACH = policy(issues={"labels": {"within_reach": "reach"}})
NOTHING_PAST = AgentPast()
SOME = {"prose_words": 80.0, "code_lines": 10.0}


def chance(
    features: dict[str, float], label: SpecificationLabel | None = None, past: AgentPast = NOTHING_PAST
) -> float:
    answer = judgement(label=label, judge="gpt-4.1 with issue-specification/2") if label else None
    return reach(features, answer, past).chance


def test_what_moves_the_guess_as_it_was_measured() -> None:
    typical = chance(SOME)
    assert chance(SOME | {"prose_words": 300.0}) > typical
    assert chance(SOME | {"code_lines": 200.0}) < typical
    assert chance(SOME | {"source_files": 1.0}) > typical
    assert chance(SOME | {"source_files": 3.0}) == chance(SOME | {"source_files": 30.0})
    labels = [chance(SOME, label) for label in SpecificationLabel]
    assert labels == sorted(labels, reverse=True)
    assert labels[0] > typical > labels[-1]


def test_an_offline_judges_label_is_no_models() -> None:
    offline = reach(SOME, judgement(label=VAGUE, judge="offline/1"), NOTHING_PAST)
    assert offline == reach(SOME, None, NOTHING_PAST)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_the_repositorys_past_moves_it_the_way_it_went(merged: int, unmerged: int) -> None:
    found, typical = chance(SOME, past=AgentPast(merged, unmerged)), chance(SOME)
    assert (found > typical) is (merged > unmerged)
    assert 0 < found < 1


def test_a_few_pull_requests_move_it_little() -> None:
    typical = chance(SOME)
    assert chance(SOME, past=AgentPast(1, 0)) - typical < 0.05


def test_names_of_source_files_and_lines_of_code_are_counted() -> None:
    code = "import app\napp.save()\nprint(app.name)"
    text = f"It fails in `src/app/save.py` and in src/app/save.py too, see lib/Menu.tsx.\n\n```python\n{code}\n```\n"
    counted = parse(IssueText("Saving fails in save.py", text)).features
    assert (counted["source_files"], counted["code_lines"]) == (2.0, 3.0)
    assert parse(IssueText("t", "Read docs.pylons.org and main.pyramid.")).features["source_files"] == 0


@cases
def test_only_a_clear_issue_to_work_on_is_guessed_about(
    probability: float, kind: IssueKind, asked_for: bool, found: int
) -> None:
    said = {Item.OBSERVED: "Saving crashes", Item.GOAL: "it should save", Item.SUBJECT: "saving"}
    shown = report(kind=kind, features=SOME, items=said | ({Item.STEPS: None} if kind is IssueKind.BUG else {}))
    given = facts(judgement=judgement(probability, kind=kind), report=shown)
    verdict = decide_issue(given, REACH if asked_for else policy())
    assert sum(line.check == CHECK for line in verdict.evidence) == found
    assert found or not verdict.within_reach


def test_the_evidence_says_that_it_is_a_guess_and_from_what() -> None:
    verdict = decide_issue(facts(judgement=judgement(0.01), past=AgentPast(7, 3)), REACH)
    (line,) = (line for line in verdict.evidence if line.check == CHECK)
    assert "a guess from how it is written, and agents' pull requests here (7 of 10 merged)" in line.found


@cases
def test_a_held_report_that_names_no_place_is_asked_for_it(
    features: dict[str, float], labels: dict[str, str], most: int, asks: bool
) -> None:
    rules = policy(issues={"labels": labels, "max_questions": most})
    verdict = decide_issue(facts(report=report(features=features)), rules)
    assert verdict.decision is Decision.BOUNCE
    asked = [question.item for question in verdict.questions]
    assert (Item.SUBJECT in asked) is asks
    assert len(asked) <= most
    assert asked[-1] is Item.SUBJECT or not asks, "what holds the issue comes first"


def test_it_never_holds_an_issue() -> None:
    given = facts(judgement=judgement(0.01), report=report(features={"code_lines": 1e6}), past=AgentPast(0, 10_000))
    assert decide_issue(given, REACH).decision is Decision.ACCEPT


def test_weights_are_read_as_they_are_written() -> None:
    raw = {"made_by": "x", "issues": 3, "intercept": 1.0, "features": {"prose": [2.0, 0.5, 0.1]}, "cut": 0.0}
    assert WEIGHTS.validate_python(raw).score({"prose": 3.0}) == pytest.approx(1.2)
    assert WEIGHTS.validate_python(raw).score({}) == 1.0
    assert set(packaged().features) == {"prose", "code", "files", "label"}


def test_page_terminal_and_json_say_the_same() -> None:
    verdict = decide_issue(facts(judgement=judgement(0.01), past=AgentPast(7, 3)), REACH)
    (line,) = (line for line in verdict.evidence if line.check == CHECK)
    page = issue_page(verdict, state=State.ACTIVE, held=False, left_alone="")
    assert line.found in [shown.found for shown in page.evidence]
    assert line.found in [shown["found"] for shown in issue_json(verdict)["evidence"]]
    console = Console(width=400, record=True, file=StringIO())
    console.print(verdict_view(verdict))
    assert line.found in console.export_text()
