"""How much the tests would notice: the share of mutants of the changed lines that they kill."""
