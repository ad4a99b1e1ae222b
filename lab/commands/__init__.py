"""The commands of the laboratory. `bouncer` finds them by the entry point `lab` in `pyproject.toml`."""

COMMANDS = {
    "calibrate": ("lab.commands.calibrate:calibrate", "Learn what a judge's labels are worth here."),
    "bench": ("lab.commands.bench:bench", "Measure the published figures again."),
}
