"""No process holds more for each delivery; `lab/benchmarks/memory.py` measures real ones."""

import gc
import re
import weakref
from collections import OrderedDict, deque
from collections.abc import Iterator
from logging import LogRecord
from typing import Any

from flask.testing import FlaskClient

from tests.webhooks.sending import signed
from tests.workflows.house import LABEL, VAGUE, House
from webhooks.app import create_app

CONTAINERS = (dict, list, set, deque)
ISSUES, ROUNDS = 3, 4
_LOGGED = re.compile(r"[A-Z]+ +[\w.]+:\w+\.py:\d+ ")  # a line as pytest formats it


def is_container(each: object) -> bool:
    return issubclass(type(each), CONTAINERS)  # isinstance would have lazy modules load all they have


def containers() -> Iterator[Any]:
    gc.collect()
    yield from filter(is_container, gc.get_objects())


def is_bounded(container: Any) -> bool:
    """`lru_cache` drops what is too much (one without a limit looks otherwise); sqlite3 weeds dead cursors at 200, and
    psycopg drops statements beyond 100. pytest keeps what was logged."""
    if type(container) is OrderedDict and type(statement := next(reversed(container))) is tuple:
        return type(statement[0]) is bytes
    held = list(container.values() if issubclass(type(container), dict) else container)
    if type(held[-1]) is LogRecord or (type(held[-1]) is str and _LOGGED.match(held[-1])):
        return True
    return type(held[-1]).__name__ == "_lru_list_elem" or all(type(each) is weakref.ref for each in held)


def memory_of(github: object) -> set[int]:
    """The containers of the fake GitHub, which remembers everything."""
    found, waiting = {id(github)}, [github]
    while waiting:
        for each in gc.get_referents(waiting.pop()):
            is_its = is_container(each) or type(each).__module__.startswith("fake_github")
            if is_its and id(each) not in found:
                found.add(id(each))
                waiting.append(each)
    return found


def talk(house: House, web: FlaskClient, repo: str, numbers: list[int]) -> int:
    """Edits and comments reach the web process, and the worker takes them; how many deliveries there were."""
    before = len(house.github.deliveries)
    for number in numbers:
        house.clock.advance(seconds=1)
        house.github.edit_issue(repo, number, body=f"{VAGUE} {house.clock.ahead}", by="reporter")
        house.github.comment(repo, number, f"Still so, {house.clock.ahead}.", by="somebody")
    house.github.wait_for_webhooks()
    sent = house.github.deliveries[before:]
    for each in sent:
        headers = signed(each.body, secret=house.github.app.webhook_secret, event=each.event, guid=each.guid)
        assert web.post("/webhook", data=each.body, headers=headers).status_code == 202
    house.lose()  # the web process has taken them
    house.settle()
    return len(sent)


def test_no_container_grows_with_the_deliveries(house: House) -> None:
    """Whatever accumulates lies in one that grows."""
    web = create_app(house.settings).test_client()
    repo = house.repository()
    numbers = [house.open(repo) for _ in range(ISSUES)]
    for _ in range(2):
        talk(house, web, repo, numbers)
    gc.unfreeze()  # what was made while the tests were collected may grow as well
    try:
        before = [(each, len(each)) for each in containers()]  # held, so that nothing else takes its place
        sent = sum(talk(house, web, repo, numbers) for _ in range(ROUNDS))
        others = memory_of(house.github) | {id(house.judge.asked), id(before)}
        grown = [each for each, size in before if len(each) - size >= sent // 3 and id(each) not in others]
    finally:
        gc.freeze()
    assert sent >= 2 * ISSUES * ROUNDS and all(LABEL in house.issue(repo, each).labels for each in numbers)
    assert [(len(each), str(each)[:300]) for each in grown if not is_bounded(each)] == []
