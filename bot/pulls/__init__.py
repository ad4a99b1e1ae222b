"""The output door: what a pull request was asked for, and whether a reviewer's rejection of it holds."""
