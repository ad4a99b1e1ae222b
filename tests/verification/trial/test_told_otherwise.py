"""The questions of code whether it is tested, and an answer in their place."""

from bot.verification.patch_evidence import Red, Turned
from bot.verification.trial.bodies import Bodies
from bot.verification.trial.detection import only_when_tested, with_answer
from bot.verification.values import Program, TestResult, TestRun, TestStatus
from tests.support.cases import cases

NONE = frozenset[bytes]()


@cases
def test_an_answer_stands_in_the_place_of_the_question_alone(line: str, told: str) -> None:
    body = "        pass\n" if line.endswith(":") else ""
    assert with_answer(f"def f(n):\n{line}\n{body}".encode(), NONE, False).decode().splitlines()[1] == told


def test_what_may_be_more_than_yes_or_no_is_no_question() -> None:
    source = b"n = os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw')\nf(os.environ['PYTEST_VERSION'])\n"
    assert with_answer(source, NONE, False) == source


def test_what_the_base_asks_already_is_not_told() -> None:
    source = b"A = 'pytest' in sys.modules\nB = 'pytest' in sys.modules\n"
    assert with_answer(source, frozenset({b"A = 'pytest' in sys.modules"}), True) == source.replace(
        b"B = 'pytest' in sys.modules", b"B = (True)"
    )
    long = b"A = 'pytest' in sys.modules or " + b"1 or " * 1_000 + b"2\n"
    assert with_answer(long, NONE, True) == long


ASKS = b"def f(n):\n    if 'pytest' in sys.modules:\n        return 1\n    return 2\n"
TEST = b"def test_f():\n    assert f(1) == 1\n"
OWN = "E   assert 2 == 1"
THERE = "E   TypeError: no such thing yet"  # as it fails on the base
TURNED = Turned("test_a.py::test_f", Red.ERROR, message="TypeError: no such thing yet", counts=True)


def told(said: str, *, test: bytes = TEST, asked: str = "f(1) should be 1", old: bytes = b"", again: str = "") -> int:
    """How many tests are told to pass only while they are tested. said: by the test once its code is told otherwise;
    again: by the second look, where that is another."""

    def run(program: Program, reverse: bool) -> TestRun:
        message = again if reverse and again else said
        message = "" if b"(True)" in (program.files["a.py"] or b"") else message
        status = TestStatus.FAILED if message else TestStatus.PASSED
        return TestRun((TestResult("test_a.py::test_f", status, message and f"test_a.py:2: in f\n{message}"),), 0.1)

    head = Program(None, {"a.py": ASKS, "test_a.py": test})
    new = Bodies({"test_a.py": test}.get)
    return len(only_when_tested([TURNED], new, head, {"a.py": (old, ASKS)}, asked, run))


def test_a_test_stands_on_the_answer_where_it_fails_as_it_should() -> None:
    assert told(OWN) == told(THERE) == 1
    assert told("") == 0  # it passes whatever the code is told
    assert told("E   OSError: no network") == 0  # what breaks in another way says nothing
    assert told(OWN, again="E   OSError: no network") == 0


def test_code_may_ask_where_others_want_it_or_its_test_sets_it() -> None:
    assert told(OWN, asked="f(1) should be 1 under pytest") == 0
    assert told(OWN, test=TEST.replace(b"    ", b"    os.environ['X'] = '1'\n    ")) == 0
    assert told(OWN, old=b"    if 'pytest' in sys.modules:\n") == 0  # it did so before
