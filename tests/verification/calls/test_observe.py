"""Programs nobody trusts, called in the real sandbox: whatever one call does, the next one is answered."""

import base64
from pathlib import Path

import pytest

from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.protocol import Mount, Outcome, Status
from bot.verification.calls.observe import ObservationError, Plain, Surroundings, observe, observe_in_turn
from bot.verification.values import Ending, Environment, Observed, Program
from tests.support.cases import table
from tests.support.sandbox import StandIn

EXECUTOR = BubblewrapExecutor()
HOSTILE = table(bytes, __file__, "HOSTILE")


def program(source=HOSTILE):
    return Program(None, {"solution.py": source})


def outcomes(*calls, **extra):
    extra = {"call_seconds": 0.5, "seconds": 60.0} | extra
    return observe(EXECUTOR, [program()], calls, **extra)[0]


def returned(value, mutated=""):
    return Observed(Ending.RETURNED, value, mutated)


def test_what_a_call_does_is_written_down():
    seen = outcomes("double(2.5)", "change([1])", "say()", "double()", "nowhere(1)", "[double(1), double('a')]")
    assert seen == (
        returned("5.0"),
        returned("2", "[[1, 3]]"),
        returned("Printed('hello hello \\n')"),
        Observed(Ending.RAISED, "TypeError"),
        Observed(Ending.RAISED, "NameError"),
        returned("[2, 'aa']"),
    )


def test_no_call_takes_the_others_with_it():
    expected = {
        "leave()": Ending.DIED,
        "polite()": Ending.RAISED,
        "forever()": Ending.TIMEOUT,
        "stubborn()": Ending.TIMEOUT,
        "deep()": Ending.RAISED,
        "huge()": Ending.RAISED,
        "loud()": Ending.RETURNED,
        "fork()": Ending.RETURNED,
        "spoil()": Ending.DIED,
    }
    calls = [call for one in expected for call in (one, "double(4)")]
    seen = outcomes(*calls)
    assert dict(zip(calls[::2], (one.ending for one in seen[::2]), strict=True)) == expected | {
        "spoil()": seen[calls.index("spoil()")].ending
    }
    assert seen[1::2][:-1] == (returned("8"),) * (len(expected) - 1)


def test_a_call_that_kills_its_keeper_is_that_calls_own_outcome():
    seen = outcomes("double(1)", "kill()", "double(2)")
    assert seen[0] == returned("2")
    assert seen[1].ending in (Ending.DIED, Ending.TIMEOUT)
    assert seen[2] == returned("4")


def test_a_program_that_kills_everything_has_died_on_what_it_kept_from_being_observed():
    seen = outcomes("double(1)", "killall()", "double(2)")
    assert len(seen) == 3
    assert {one.ending for one in seen[1:]} == {Ending.DIED}


def test_calls_in_a_test_need_none_of_the_options_that_the_tests_have_here():
    """Of a plugin that is not loaded, pytest does not know the options, and ends before it begins."""
    around = Environment(variables={"PYTEST_ADDOPTS": "--cov --cov-report=xml"})
    in_test = Plain(("solution",), ("/work",), Surroundings.TESTED)
    assert observe(EXECUTOR, [program()], ["solution.double(1)"], environment=around, plain=in_test)[0] == (
        returned("2"),
    )


def test_calls_in_a_test_find_the_programs_own_folder_of_tests():
    files = {"tests/__init__.py": b"", "tests/test_a.py": b"def test_a(): pass\n"}
    in_test = Plain(("tests.test_a",), ("/work",), Surroundings.TESTED)
    assert observe(EXECUTOR, [Program(None, files)], ["tests.test_a.test_a()"], plain=in_test)[0] == (returned("None"),)


def test_of_a_plain_process_what_is_printed_is_seen():
    source = Program(None, {"m.py": b"def tell(word): print('told', word)\n"})
    for where in (Surroundings.BARE, Surroundings.TESTED):
        seen = observe(EXECUTOR, [source], ["m.tell(1)"], plain=Plain(("m",), ("/work",), where))[0]
        assert seen == (returned(r"Printed('told 1\n')"),)


def test_packages_of_the_change_are_found_before_those_of_the_environment(tmp_path: Path):
    place = tmp_path / "venv/lib/python3.11/site-packages"
    place.mkdir(parents=True)
    tmp_path.chmod(0o755)
    (place / "brought.py").write_text("VALUE = 1\n")
    (place / "m.py").write_text("def value(): return 0\n")
    source = Program(None, {"m.py": b"import brought\ndef value(): return brought.VALUE\n"})
    around = Environment((Mount(tmp_path, "/head"),), python=EXECUTOR.probe().python, packages="/head/venv")
    plain = Plain(("m",), ("/work",))
    assert observe(EXECUTOR, [source], ["m.value()"], environment=around, plain=plain)[0] == (returned("1"),)


def test_what_objects_bring_with_them_is_not_there_for_calls_of_plain_values():
    """An object's class may stand in a file of tests, which loads their tool."""
    files = {
        "helping.py": b"import pickletools\nclass Box: pass\n",
        "m.py": b"import sys\ndef loaded(given): return 'pickletools' in sys.modules\n",
    }
    copy = base64.b64encode(b"chelping\nBox\n)\x81.").decode()
    calls = [f"m.loaded({given})" for given in ("1", "2", f"unpickled('{copy}')", "3")]
    seen = observe(EXECUTOR, [Program(None, files)], calls, plain=Plain(("m",), ("/work",)))[0]
    assert [each.value for each in seen] == ["False", "False", "True", "True"]


def test_elsewhere_it_is_later_in_another_folder_of_another_machine_and_calls_are_made_on_and_on():
    source = b"""
import datetime, os, pathlib, platform, shutil, socket, time
began, first, calls = time.time(), datetime.datetime.now(), []
def days(): return (int(time.time() - began) // 86400, (datetime.datetime.now() - first).days)
def day(): return time.localtime()[2] == int(time.strftime("%d")) == datetime.date.today().day
def place(): return ("/work" in __file__, os.getcwd() == "/work", platform.node() == "sandbox", os.getpid() > 30000)
def finds_itself(): return bool(socket.getaddrinfo(platform.node(), None) and socket.gethostbyname(platform.node()))
def names(): return (__file__, platform.node(), pathlib.Path.home() / "kept", pathlib.Path("kept").absolute())
def count(): return calls.append(1) or len(calls) > 40
def number(): return calls.append(1) or len(calls)
"""
    asked, near = [f"m.{each}()" for each in ("days", "day", "place", "finds_itself", "names", "count")], ["m.number()"]

    def seen(where: Surroundings) -> tuple[str, ...]:
        plain, program = Plain(("m",), ("/work",), where), Program(None, {"m.py": source})
        return tuple(each.value for each in observe(EXECUTOR, [program], asked + near, plain=plain)[0])

    named = "('/work/m.py', 'sandbox', PosixPath('/tmp/kept'), PosixPath('/work/kept'))"
    assert seen(Surroundings.BARE) == ("(0, 0)", "True", "(True, True, True, False)", "True", named, "False", "2")
    later = ("(3651, 3651)", "True", "(False, False, False, True)", "True", named, "True", "3")
    assert seen(Surroundings.ELSEWHERE) == later, "an answer that only names the place is the same"


def test_a_program_that_never_begins_is_not_begun_for_each_call():
    seen = observe(EXECUTOR, [program(b"import os\nos._exit(3)\n")], ["double(1)"] * 2000)[0]
    assert [each.ending for each in seen] == [Ending.DIED] * 2000


def test_a_program_that_stops_its_keepers_does_not_end():
    seen = outcomes("stop()", "double(2)", seconds=0.5)
    assert seen == (Observed(Ending.TIMEOUT), Observed(Ending.TIMEOUT))


def test_a_program_can_neither_read_nor_address_its_supervisor():
    assert outcomes("reach()") == (returned("[]"),)


def test_a_type_cannot_be_named_like_another_value():
    assert outcomes("named('4 #')", "named('set')") == (returned("Unnamed()"), returned("Unnamed()"))


def test_no_more_is_said_than_was_asked():
    assert len(outcomes("forge()", "double(1)")) <= 2


def test_alone_no_call_sees_what_another_has_kept():
    assert outcomes("keep()", "keep()") == (returned("1"), returned("2"))
    assert outcomes("keep()", "keep()", batch=1) == (returned("1"), returned("1"))


def test_hashes_are_the_same_in_every_sandbox():
    assert outcomes("order()") == outcomes("order()")


def test_a_program_that_cannot_be_imported_raises_on_every_call():
    seen = observe(EXECUTOR, [program(b"import nowhere_to_be_found")], ["f(1)", "f(2)"])
    assert seen == ((Observed(Ending.RAISED, "ModuleNotFoundError"),) * 2,)


def test_when_time_is_up_what_was_observed_is_returned():
    seen = outcomes("double(1)", *["forever()"] * 40, seconds=2.0)
    assert seen[0] == returned("2")
    assert len(seen) < 41


def test_a_sandbox_that_fails_is_no_outcome():
    broken = StandIn(Outcome(Status.SANDBOX_ERROR, None, b"", b"", {}, 0.0, (), "no room"))
    with pytest.raises(ObservationError, match="no room"):
        observe(broken, [program()], ["double(1)"])


def test_output_that_is_not_the_harness_own_is_read_without_trust():
    output = b'\xff\n[[[\n{}\n["returned", "1"]\n["won", "1", ""]\n["returned", {"a": 1}, 5]\n'
    found = observe(
        StandIn(Outcome(Status.EXITED, 0, output + b"[" * 100_000, b"", {}, 0.0, ())), [program()], ["double(1)"]
    )
    assert found == ((returned("{'a': 1}", "5"),),)


LEAVES = """
import os, subprocess, sys, time

def add(a, b):
    return a + b

def marks():
    places = ["/tmp/mark", "/dev/shm/mark", "mark.py"]
    found = [each for each in places if os.path.exists(each)]
    for each in places:
        open(each, "w").close()
    with open("solution.py", "w") as file:
        file.write("raise 1")
    return found

def runs():
    commands = (open(f"/proc/{each}/cmdline", "rb").read() for each in os.listdir("/proc") if each.isdigit())
    found = [each for each in commands if b"sleeps" in each]
    subprocess.Popen([sys.executable, "-c", "import time; 'sleeps'; time.sleep(60)"], start_new_session=True)
    return len(found)

def dies():
    os.kill(os.getppid(), 9)
"""


def in_turn(*texts, calls):
    """What programs give, of which the first is run whole again behind all others."""
    first, *others = [Program(None, {"solution.py": text.encode()}) for text in (*texts, texts[0])]
    asked = [(first, True), *((each, False) for each in others[:-1]), (others[-1], True)]
    seen = observe_in_turn(EXECUTOR, asked, calls, module="solution", place=Plain((), ("/work",)), seconds=60)
    return [[each.value or each.ending.value for each in its] for its in seen]


def test_programs_in_one_sandbox_find_nothing_of_those_before():
    assert in_turn(LEAVES, LEAVES, calls=("marks()", "runs()", "add(1, 2)")) == [["[]", "0", "3"]] * 3


def test_a_program_is_run_up_to_the_first_call_that_ends_otherwise():
    other = LEAVES.replace("a + b", "a + b if a < 5 else 0")
    calls = ("add(1, 2)", "add(7, 2)", "add(3, 2)")
    assert in_turn(LEAVES, other, calls=calls) == [["3", "9", "5"], ["3", "0"], ["3", "9", "5"]]


def test_a_program_that_ends_whoever_made_it_takes_no_other_with_it():
    calls = ("add(1, 2)", "dies()", "add(3, 2)")
    assert in_turn(LEAVES, LEAVES, calls=calls) == [["3", "died", "5"]] * 3
