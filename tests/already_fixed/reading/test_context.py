"""What has to stand in front of an example."""

from dataclasses import replace
from pathlib import Path

from bot.already_fixed.project import project_of
from bot.already_fixed.reading.extract import Extracted
from tests.already_fixed.report import MODULES, TRACE, only, read
from tests.support.cases import cases


def test_definitions_of_an_earlier_block_are_taken_along() -> None:
    body = (
        "```python\nimport halves\nclass Cake:\n    pass\n```\nand then\n"
        f"```python\nhalves.half(Cake())\n```\nfails:\n```\n{TRACE}```"
    )
    assert only(body).code == "import halves\nclass Cake:\n    pass\nhalves.half(Cake())"


def test_only_imports_are_taken_along_where_they_are_enough() -> None:
    body = (
        f"```python\nimport halves\nhalves.half(1)\n```\nand then\n```python\nhalves.half(None)\n```\n```\n{TRACE}```"
    )
    assert read(body).reproductions[-1].code == "import halves\nhalves.half(None)"
    body = ">>> import halves\n>>> halves.set(1)\n\nand then\n\n>>> halves.half(3)\n1\n"
    assert only(body).steps == ("import halves\nhalves.set(1)", "halves.half(3)")  # at the same prompt


def test_what_everybody_imports_alike_is_imported() -> None:
    found = only(f"```python\nhalves.half(np.array([1]))\n```\n```\n{TRACE}```")
    assert found.code == "import halves\nimport numpy as np\nhalves.half(np.array([1]))"


def test_names_that_the_package_offers_are_taken_from_it() -> None:
    assert only(f"```python\nquarter(half(None))\n```\n```\n{TRACE}```").code.startswith("from halves import *\n")


def test_an_example_that_cannot_be_whole_is_said_to_be_left_out() -> None:
    assert read(f"```python\nfrom halves import half\nhalf(cake)\n```\n```\n{TRACE}```") == Extracted(
        unread=("an example that uses what it does not define",)
    )
    assert read(f"```python\nfrom halves import half\nhalf(...)\n```\n```\n{TRACE}```") == Extracted(
        unread=("an example that leaves something out",)
    )


def test_names_of_a_module_of_the_project() -> None:
    found = only(f"```python\nthird(4)\n```\n```\n{TRACE}```", project=MODULES)
    assert found.code == "from halves.more import third\nthird(4)"


def test_names_that_several_modules_define_alike() -> None:
    assert read(f"```python\nfifth(4)\n```\n```\n{TRACE}```", project=MODULES).reproductions == ()


def test_not_every_failure_counts_where_names_were_guessed() -> None:
    assert read("```python\nthird(4)\n```\nIt fails.", project=MODULES).reproductions == ()


def test_a_star_import_of_the_project_brings_what_it_offers_and_no_more() -> None:
    found = only(f"```python\nfrom halves import *\nhalf(third(4))\n```\n```\n{TRACE}```", project=MODULES)
    assert found.code.split("\n") == ["from halves.more import third", "from halves import *", "half(third(4))"]


@cases
def test_modules_of_the_project_of_which_something_is_read(code: str, imports: list[str]) -> None:
    project = replace(MODULES, modules={**MODULES.modules, "halves.a.deep": frozenset()})
    found = only(f"```python\n{code}\n```\n```\n{TRACE}```", project=project)
    assert found.code.split("\n") == [*imports, *code.split("\n")]


def test_a_package_below_the_projects_is_a_module(tmp_path: Path) -> None:
    texts = {
        "__init__.py": "x = 1\n",
        "more/__init__.py": "def third(): pass\n",
        "more/less.py": "def fourth(): pass\n",
    }
    for name in ("more", "more/_own", "more/tests"):
        texts |= {f"{name}/__init__.py": texts.get(f"{name}/__init__.py", "def own(): pass\n")}
    for name, text in texts.items():
        (tmp_path / "halves" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "halves" / name).write_text(text)
    modules = {"halves.more": frozenset({"third"}), "halves.more.less": frozenset({"fourth"})}
    assert project_of(tmp_path).modules == modules
