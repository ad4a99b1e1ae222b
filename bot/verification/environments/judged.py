"""The environment in which a head is judged: the base's interpreter and test tools, the head's packages beside."""

from dataclasses import replace

from bot.sandbox.protocol import Mount
from bot.verification.values import Environment

_OWN, _BESIDE = "/env", "/head"
_PACKAGES = f"{_BESIDE}/venv"
_MODULES = "/node_modules"


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


def judged_by_command(base: Environment, head: Environment) -> Environment:
    """The same for tests that a command runs: its tools are the base's, and what only the head has is found behind them
    by Node's `require`. Where no installed package can be a tool, as with Go and Rust, it is the head's.
    """
    own = next((mount for mount in head.mounts if mount.inside == _OWN), None)
    tools = any(mount.inside == _MODULES for mount in base.mounts) or bool(base.python)
    if head.mounts == base.mounts or own is None or not tools:
        return head
    variables = {**base.variables, "NODE_PATH": f"{_BESIDE}{_MODULES}"}
    return replace(base, mounts=(*base.mounts, Mount(own.host, _BESIDE)), variables=variables)
