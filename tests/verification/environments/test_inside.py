"""What runs inside the sandbox at setup, outside of one."""

import subprocess
from pathlib import Path

import pytest

from bot.verification.environments.inside import PIP

# Says what it was asked; what it is told to refuse it refuses as uv does.
UV = """#!/bin/sh
echo "uv $*" >>{log}
case " $* " in *"{refused}"*) echo "{told}" >&2; exit 2 ;; esac
"""
OLD = "The build backend returned an error: `setuptools.build_meta` has no attribute `build_editable`"


@pytest.mark.parametrize(
    ("words", "refused", "told", "asked", "status"),
    [
        ("install -e .[test] six", " no ", "", ["uv pip install -e .[test] six"], 0),
        ("install -e .[test] six", " six ", "no six", ["uv pip install -e .[test] six"], 2),
        (
            "install -e .[test] -r needs.txt six",
            " -e ",
            OLD,
            [
                "uv pip install -e .[test] -r needs.txt six",
                "uv pip install .[test] -r needs.txt six",
                "pip install --no-deps -e .",
            ],
            0,
        ),
        (
            "install --editable ./a -e ./b[x,y]",
            " ./a -e ",
            OLD,
            [
                "uv pip install --editable ./a -e ./b[x,y]",
                "uv pip install ./a ./b[x,y]",
                "pip install --no-deps -e ./a -e ./b",
            ],
            0,
        ),
        ("install -e . six", " six ", OLD, ["uv pip install -e . six", "uv pip install . six"], 2),
    ],
)
def test_a_build_that_knows_no_links_is_installed_by_uv_and_linked_by_pip(
    tmp_path: Path, words: str, refused: str, told: str, asked: list[str], status: int
) -> None:
    log = tmp_path / "log"
    scripts = {
        "uv": UV.format(log=log, refused=refused, told=told.replace("`", "\\`")),
        "pip": f'#!/bin/sh\necho "pip $*" >>{log}\n',
        "wrapped": PIP.format(uv=tmp_path / "uv", told=tmp_path / "told", pip=tmp_path / "pip"),
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([tmp_path / "wrapped", *words.split()], capture_output=True, text=True)
    assert log.read_text().splitlines() == asked
    assert (done.returncode, told in done.stderr) == (status, True)
