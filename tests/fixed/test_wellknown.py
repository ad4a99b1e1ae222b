"""What is installed for the examples of a report, and what is not."""

import pytest

from bot.fixed.values import Run, Seen
from bot.fixed.wellknown import lacking


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [
        ([Run(Seen.CANNOT_RUN, missing="yaml"), Run(Seen.CANNOT_RUN, missing="numpy")], ("numpy", "pyyaml")),
        ([Run(Seen.CANNOT_RUN, missing="numpy"), Run(Seen.PASSES)], ("numpy",)),
        ([Run(Seen.CANNOT_RUN, missing="nunpy")], ()),  # anybody's package
        ([Run(Seen.CANNOT_RUN, missing="--index-url")], ()),
        ([Run(Seen.CANNOT_RUN)], ()),
        ([Run(Seen.AS_REPORTED, missing="numpy")], ()),
        ([], ()),
    ],
)
def test_only_what_is_well_known_is_installed(runs: list[Run], wanted: tuple[str, ...]) -> None:
    assert lacking(runs) == wanted
