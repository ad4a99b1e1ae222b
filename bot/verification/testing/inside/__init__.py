"""Scripts that run inside the sandbox, as text: nothing here is imported by Bouncer. Standard library only, but pytest."""
