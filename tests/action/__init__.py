"""The GitHub Action: its workflow files, run by a small driver against the fake GitHub."""
