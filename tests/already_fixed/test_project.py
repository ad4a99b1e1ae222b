"""What a repository's files say of its commands."""

from pathlib import Path

import pytest

from bot.already_fixed.project import project_of


@pytest.mark.parametrize(
    ("name", "text", "commands"),
    [
        ("pyproject.toml", '[project.scripts]\nhalve = "halves:main"\npython = "halves:main"\n', {"halve"}),
        ("pyproject.toml", '[tool.poetry.scripts]\nhalve = "halves:main"\n', {"halve"}),
        ("pyproject.toml", "[project.scripts\n", set()),
        ("pyproject.toml", f"a{'.a' * 60_000} = 1\n", set()),  # which takes minutes to read
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    halve = halves:main\n", {"halve"}),
        ("setup.cfg", "no section\n", set()),
        ("setup.py", "setup(entry_points={'console_scripts': ['halve = halves:main']})\n", {"halve"}),
    ],
)
def test_the_commands_are_those_of_its_manifests(tmp_path: Path, name: str, text: str, commands: set[str]) -> None:
    (tmp_path / name).write_text(text)
    assert project_of(tmp_path).commands == commands
