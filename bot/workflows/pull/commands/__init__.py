"""What people can say about a gate: a command a file. `bot.workflows.pull.person_actions` says who may."""
