"""Every family."""

from tests.hostile_pulls.families import (
    beside,
    commands,
    compiled,
    environment,
    in_process,
    leaning,
    noticing_less,
    repository,
    steering,
    tests_changed,
    unseen,
)

FAMILIES = (
    *(steering.CONFTESTS, steering.CONFIGURATION, steering.STARTUP),
    *(in_process.PATCHING, in_process.ASKING, in_process.REWRITING),
    *(tests_changed.WEAKENED, tests_changed.MOVED, tests_changed.OWN, tests_changed.UNITTESTS, tests_changed.UNSTEADY),
    *(commands.COMMANDS, commands.BUILDS, commands.REACHED, commands.NODES, commands.STRAYS),
    *(beside.BESIDE, environment.ENVIRONMENT),
    *(compiled.GOES, compiled.RUSTS, noticing_less.LESS),
    *(repository.REPOSITORY, repository.UNTOLD),
    leaning.LEANING,
    *(unseen.TEXTS, unseen.UNSEEN, unseen.SCRIPTS),
)
