"""Scripts that run inside the sandbox, as text: never imported here. They need the standard library, and pytest."""
