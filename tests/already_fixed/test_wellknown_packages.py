"""What is installed for the examples of a report, and what is not."""

from pathlib import Path

import pytest

from bot.already_fixed.runner import missing_packages
from bot.already_fixed.values import Run, Seen
from tests.support.cases import cases


@cases
def test_only_what_is_well_known_is_installed(runs: list[Run], wanted: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "pandas").mkdir()  # no package
    assert missing_packages(runs, tmp_path) == wanted


@pytest.mark.parametrize("own", ["yaml.py", "numpy/__init__.py", "src/numpy/__init__.py", "lib/yaml/__init__.py"])
def test_a_program_is_never_replaced_by_a_release_of_it(own: str, tmp_path: Path) -> None:
    (tmp_path / own).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / own).touch()
    runs = [Run(Seen.CANNOT_RUN, missing="yaml"), Run(Seen.CANNOT_RUN, missing="numpy")]
    assert missing_packages(runs, tmp_path) == (("numpy",) if "yaml" in own else ("pyyaml",))
