"""Who may set up: the first who brings the token, within half an hour, after at most ten wrong tries."""

from bot.setup.flow import LIFETIME, MOST_TRIES, Guard, invitation


class StoppedClock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_token_is_taken_once() -> None:
    guard = Guard()
    session = guard.admit(guard.token)
    assert session and guard.knows(session)
    assert guard.admit(guard.token) == ""
    assert "in another browser" in guard.refusal()


def test_nobody_is_known_before_somebody_came() -> None:
    guard = Guard()
    assert not guard.knows("")
    assert not guard.knows(guard.token)
    assert "the link that the console shows" in guard.refusal()


def test_a_token_with_letters_of_another_script_is_only_wrong() -> None:
    guard = Guard()
    assert guard.admit("héllo") == ""
    assert guard.admit(guard.token)


def test_ten_wrong_tries_end_it_for_the_right_token_too() -> None:
    guard = Guard()
    for _ in range(MOST_TRIES - 1):
        assert guard.admit("wrong") == ""
    assert "the link that the console shows" in guard.refusal()
    assert guard.admit("wrong") == ""
    assert guard.admit(guard.token) == ""
    assert "too many wrong tries" in guard.refusal()


def test_wrong_tries_of_strangers_do_not_throw_out_who_is_in() -> None:
    guard = Guard()
    session = guard.admit(guard.token)
    for _ in range(MOST_TRIES + 1):
        guard.admit("wrong")
    assert guard.knows(session)


def test_after_half_an_hour_nobody_is_let_in_and_who_was_in_is_no_more() -> None:
    clock = StoppedClock()
    late, early = Guard(clock), Guard(clock)
    session = early.admit(early.token)
    clock.now += LIFETIME - 1
    assert early.knows(session) and not late.over
    clock.now += 1
    assert not early.knows(session)
    assert late.admit(late.token) == ""
    assert "time for setting up is over" in late.refusal()


def test_the_invitation_names_the_link_and_the_time() -> None:
    guard = Guard()
    said = invitation(guard, "https://bouncer.example.com/")
    assert said == f"Set Bouncer up within 30 minutes: https://bouncer.example.com/setup?token={guard.token}"


def test_two_guards_share_nothing() -> None:
    first, second = Guard(), Guard()
    assert len({first.token, second.token, first.state, second.state}) == 4
