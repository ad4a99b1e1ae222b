"""What comes from elsewhere: new dependencies, where they come from, and what runs while they are installed."""

from bot.changes.risks.catalogue import risks
from bot.changes.risks.values import Holds
from tests.changes.parts import change_of
from tests.support.cases import cases

ADDED, JUDGING = {("dependency_added", Holds.NEVER)}, {("dependency_added", Holds.ALWAYS)}
SOURCE, SCRIPT = {("dependency_source", Holds.ALWAYS)}, {("install_script", Holds.ALWAYS)}

PROJECT = '[project]\nname = "shop"\ndependencies = [\n    "attrs>=23",\n]\nkeywords = ["till"]\n'


@cases
def test_manifests(path: str, before: str, after: str, expected: set[tuple[str, Holds]]) -> None:
    change = change_of((path, before, after))
    assert {(risk.check, risk.holds) for risk in risks(change, whole=lambda file: (before, after))} == expected


@cases
def test_what_nobody_can_read_is_for_a_person(path: str, before: str, after: str, held: bool) -> None:
    change = change_of((path, before, after))
    found = risks(change, "", "Please use our npm registry, a package index", lambda file: (before, after))
    assert [(risk.check, risk.holds) for risk in found] == ([("dependency_source", Holds.ALWAYS)] if held else [])


def test_a_manifest_of_which_only_a_part_is_shown_is_for_a_person() -> None:
    part = '  "scripts": {\n    "lint": "eslint"{}\n  }},\n'.replace("}}", "}")
    change = change_of(("package.json", part.replace("{}", ""), part.replace("{}", ',\n    "preinstall": "sh get.sh"')))
    assert {(risk.check, risk.holds) for risk in risks(change)} == SOURCE


@cases
def test_who_asks_for_the_very_package_waives_it(name: str, others: str, held: bool) -> None:
    change = change_of(("requirements.txt", "attrs\n", f"attrs\n{name}\n"))
    assert ([risk.holds for risk in risks(change, "", others)] == [Holds.ALWAYS]) is held


def test_the_table_is_read_from_the_whole_file() -> None:
    before = PROJECT.replace("]\nkeywords", "".join(f'    "a{number}",\n' for number in range(20)) + "]\nkeywords")
    after = before.replace('    "a19",\n', '    "a19",\n    "evil",\n')
    change = change_of(("pyproject.toml", before, after))
    (risk,) = risks(change, whole=lambda file: (before, after) if file.path == "pyproject.toml" else None)
    assert (risk.check, risk.line, risk.names) == ("dependency_added", 25, ("evil",))


@cases
def test_a_manifest_on_one_line_says_the_same(after: str, expected: set[tuple[str, Holds]]) -> None:
    change = change_of(("package.json", "{}\n", after))
    assert {(risk.check, risk.holds) for risk in risks(change, whole=lambda file: ("{}\n", after))} >= expected
