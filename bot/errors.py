"""What the person at the keyboard can mend."""


class PlainError(Exception):
    """The message says plainly what is wrong and the mend, and holds no secret. status: a command's exit status."""

    status = 2
