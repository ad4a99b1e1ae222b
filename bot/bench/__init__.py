"""Published benchmarks: figures anybody can measure again with one command."""
