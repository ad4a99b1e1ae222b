"""The environment in which a head is judged: the base's interpreter and pytest, the head's packages beside them."""

from dataclasses import replace

from bot.sandbox.protocol import Mount
from bot.verification.values import Environment

_OWN, _BESIDE = "/env", "/head"
_PACKAGES = f"{_BESIDE}/venv"


def judged(base: Environment, head: Environment) -> Environment:
    """The head's environment, where it is the base's; else the base's, which finds the head's packages as well.

    For tests that pytest runs. Who made the head's environment wrote the head, so nothing of it may run the tests.
    """
    own = next((mount for mount in head.mounts if mount.inside == _OWN), None)
    if head.mounts == base.mounts or own is None or not (base.python and head.python):
        return head
    beside = tuple(mount for mount in head.mounts if mount.inside not in {each.inside for each in base.mounts})
    path = f"{base.variables.get('PATH', '')}:{_PACKAGES}/bin"
    return replace(
        base,
        mounts=(*base.mounts, *beside, Mount(own.host, _BESIDE)),
        variables={**base.variables, "PATH": path},
        packages=_PACKAGES,
    )
