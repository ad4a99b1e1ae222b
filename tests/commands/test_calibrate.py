"""`bouncer calibrate`: what it says of a file of labels, what it stores and shows, and input that is wrong."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.github.values import Repository
from bot.storage.calibrations import SERVER, Calibrations
from bot.storage.database import Database
from bot.storage.installations import Installations
from bot.verdicts import SpecificationLabel
from lab.fitting.from_labels import LabelledAnswer
from tests.judges.calibrations import NOW, answers
from tests.support.cases import cases
from tests.support.databases import Databases

LABELS = tuple(SpecificationLabel)
HEAD = "instance_id,human_underspecified,gpt-4.1\n"


def row(number: int, answer: LabelledAnswer, *more: str) -> str:
    name = answer.repository.replace("/", "__")
    return ",".join([f"{name}-{number}", "3" if answer.bounce else "0", LABELS[answer.grade], *more]) + "\n"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    rows = (row(n, each, LABELS[3 - each.grade], "") for n, each in enumerate(answers(120, 80)))
    path.write_text("instance_id,human_underspecified,gpt-4.1,foo-7b,silent\n" + "".join(rows))
    return path


@pytest.fixture
def server(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    url = databases.migrated()
    monkeypatch.setenv("BOUNCER_DATABASE_URL", url)
    opened = Database.open(url)
    Installations(opened).add_repositories(7, [Repository(id=11, full_name="Acme/Shop")], now=NOW)
    yield opened
    opened.close()


def told(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["calibrate", *map(str, arguments)])


def document(*arguments: object) -> Any:
    found = told(*arguments, "--json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def refused(*arguments: object) -> str:
    found = told(*arguments, "--json")
    assert found.exit_code == 2, found.output
    assert not found.exception or isinstance(found.exception, SystemExit)
    error: str = json.loads(found.stdout)["error"]
    assert error in found.stderr
    return error


def test_it_says_what_a_label_is_worth_and_what_each_strictness_gives(labels: Path) -> None:
    shown = told("--labels", labels).output
    assert "gpt-4.1: 200 issues of 4 repositories; people would bounce 80." in shown
    assert "area 0." in shown and "█" in shown and "Nothing is stored." in shown and "silent" not in shown
    found = document("--labels", labels)
    (known, unknown), together = found["judges"], found["all_judges"]
    assert (known["stored_as"], unknown["stored_as"]) == ("gpt-4.1", "foo-7b")
    assert sum(worth["issues"] for worth in known["labels"].values()) == 200
    lenient = known["strictness"]["lenient"]
    assert (lenient["promise"], lenient["holds_from"], lenient["shipped"]) == (0.05, "VAGUE", False)
    assert lenient["false_bounces"] <= lenient["at_most"] and lenient["recall"] > 0.2
    assert 0 < known["reliability"]["area"] < known["reliability"]["at_random"]
    assert together["judges"] == 2 and together["issues"] == 200
    assert found["stored_for"] is None


def test_what_is_stored_is_shown_counts_and_is_forgotten(labels: Path, server: Database) -> None:
    store = Calibrations(server)
    assert "Nothing is stored for the whole server, so Bouncer's default counts." in told("--show").output
    assert (
        "for Acme/Shop, so the server's calibration, or Bouncer's default"
        in told("--show", "--repo", "acme/shop").output
    )
    told("--labels", labels)
    assert store.all() == (), "without --apply nothing is stored"
    assert "Stored for the whole server." in told("--labels", labels, "--apply").output
    assert document("--labels", labels, "--apply", "--repo", "acme/SHOP")["stored_for"] == "Acme/Shop"
    assert [each.judge for each in store.all()] == ["foo-7b", "gpt-4.1"] * 2
    here, elsewhere = (store.in_force(number, "gpt-4.1 with issue-specification/2") for number in (11, 12))
    assert here and elsewhere and (here.repository, elsewhere.repository) == ("Acme/Shop", "")
    assert "gpt-4.1, Acme/Shop: of 20" in told("--show").output
    assert {each["repository"] for each in document("--show", "--repo", "acme/shop")["calibrations"]} == {"Acme/Shop"}
    assert document("--forget", "--repo", "acme/shop") == {"forgotten": 2}
    assert store.in_force(11, "gpt-4.1") == elsewhere
    assert "Forgotten for the whole server: 2 calibrations." in told("--forget").output
    assert store.all() == ()


def test_one_repositorys_issues_are_enough_for_itself(tmp_path: Path, server: Database) -> None:
    path = tmp_path / "own.csv"
    path.write_text(HEAD + "".join(row(n, each) for n, each in enumerate(answers(60, 40, repositories=1))))
    assert "all issues are of one repository" in refused("--labels", path, "--apply")
    assert document("--labels", path, "--repo", "acme/shop", "--apply")["judges"][0]["repositories"] == 1
    assert Calibrations(server).get(SERVER, "gpt-4.1", "labels") is None


@cases
def test_labels_that_teach_nothing_are_refused(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert why in refused("--labels", path)


def test_two_columns_of_one_judge_are_not_stored(tmp_path: Path, server: Database) -> None:
    path = tmp_path / "twice.csv"
    rows = "".join(row(n, each, LABELS[each.grade]) for n, each in enumerate(answers(60, 40)))
    path.write_text("instance_id,human_underspecified,gpt-4.1,openai/gpt-4.1\n" + rows)
    assert "Two columns are the same judge, gpt-4.1." in refused("--labels", path, "--apply")
    assert Calibrations(server).all() == ()


@cases
def test_options_that_do_not_fit_are_refused(options: list[str], why: str, server: Database) -> None:
    assert why in refused(*options)


@pytest.mark.sqlite("a file that is not there")
@pytest.mark.parametrize("options", [["--show"], ["--forget"], ["--from-reports"], ["--apply"]])
def test_no_database_is_made_by_looking_for_one(
    options: list[str], labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")
    assert "`bouncer migrate` makes the tables" in refused(*options, *(["--labels", labels] * ("--apply" in options)))
    assert not (tmp_path / "none.db").exists()


def test_a_database_without_tables_is_refused_with_the_mend(
    labels: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = databases.empty()
    Database.open(url).main.connect().close()
    monkeypatch.setenv("BOUNCER_DATABASE_URL", url)
    for options in (["--labels", labels, "--apply"], ["--show"], ["--from-reports"]):
        assert "Run `bouncer migrate`" in refused(*options)
    assert CliRunner().invoke(main, ["migrate"]).exit_code == 0
    assert told("--labels", labels, "--apply").exit_code == 0


def test_without_matplotlib_plots_are_refused_before_anything_is_stored(
    labels: Path, tmp_path: Path, server: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    assert "pip install 'bouncer-bot[plots]'" in refused("--labels", labels, "--apply", "--plots", tmp_path / "png")
    assert Calibrations(server).all() == () and not (tmp_path / "png").exists()


def test_models_that_vote_are_calibrated_together_and_found_under_both_names(labels: Path, server: Database) -> None:
    found = document("--labels", labels, "--vote", "gpt-4.1,foo-7b", "--repo", "acme/shop", "--apply")
    assert [each["stored_as"] for each in found["judges"]] == ["gpt-4.1", "foo-7b", "foo-7b + gpt-4.1"]
    for name in ("gpt-4.1-2025-04-14 + foo-7b", "foo-7b + gpt-4.1"):
        kept = Calibrations(server).in_force(11, f"{name} with issue-specification/2")
        assert kept is not None and kept.judge == "foo-7b + gpt-4.1"
    assert "--vote goes with --labels" in refused("--show", "--vote", "a,b")
    assert "no column 'bar'" in refused("--labels", labels, "--vote", "gpt-4.1,bar")


def test_a_vote_keeps_the_prompt_that_its_columns_name(tmp_path: Path, server: Database) -> None:
    path = tmp_path / "labels.csv"
    rows = (row(n, each, LABELS[each.grade]) for n, each in enumerate(answers(40, 40)))
    path.write_text("instance_id,human_underspecified,a with p/2,b with p/2\n" + "".join(rows))
    found = document("--labels", path, "--vote", "a with p/2,b with p/2")
    assert found["judges"][-1]["stored_as"] == "a + b with p/2"


def test_evidence_is_shown_beside_the_labels_and_never_stored(tmp_path: Path, server: Database) -> None:
    path = tmp_path / "labels.csv"
    rows = (row(n, each, "7" if each.bounce else "1") for n, each in enumerate(answers(120, 80)))
    path.write_text("instance_id,human_underspecified,gpt-4.1,evidence:missing\n" + "".join(rows))
    found = document("--labels", path, "--apply")
    assert found["all_judges"]["evidence"] == ["missing"]
    strict = found["all_judges"]["strictness"]["strict"]
    assert strict["recall"] > found["judges"][0]["strictness"]["strict"]["recall"]
    assert (
        "the judge, with missing: 200 issues. This is shown to compare, and not stored."
        in told("--labels", path).output
    )
    assert [each.judge for each in Calibrations(server).all()] == ["gpt-4.1"]
