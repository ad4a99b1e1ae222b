"""A fix for a rejected change, made by a small ReAct loop and tried in the sandbox."""
