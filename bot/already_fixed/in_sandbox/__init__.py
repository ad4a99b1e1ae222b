"""What runs in the sandbox, as text. It needs the standard library alone, of any Python from 3.6 on."""
