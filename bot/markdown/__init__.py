"""What a text on GitHub shows a reader, and its blocks. Pure; knows nothing of issues."""
