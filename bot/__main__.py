"""`python -m bot` is the `bouncer` command."""

from bot.cli import main

main()
