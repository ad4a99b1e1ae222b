"""What a coding agent did on its way to a pull request, read from its own record: tool calls and outputs only. Pure."""
