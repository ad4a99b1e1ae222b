"""The ruleset that docs/required-check.md offers is one GitHub would take."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fake_github.checks import CHECK
from fake_github.traffic import Exchange
from tests.support.contract import exchange_problems

pytestmark = pytest.mark.contract
PAGE = Path(__file__).parents[2] / "docs/required-check.md"
ROUTE = "/repos/{owner}/{repo}/rulesets"


def problems(sent: dict[str, Any]) -> list[str]:
    return exchange_problems(Exchange("POST", ROUTE, "", {}, {}, sent, 201, None))


def test_github_takes_the_ruleset_and_it_requires_bouncers_check() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    ruleset = json.loads(block)
    assert problems(ruleset) == []
    assert problems({**ruleset, "enforcement": "on"})
    (rule,) = ruleset["rules"]
    (check,) = rule["parameters"]["required_status_checks"]
    assert check["context"] == CHECK and check["integration_id"]
