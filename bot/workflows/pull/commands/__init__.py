"""What people can say about a gate: a command a file. `bot.workflows.pull.people` says who may."""
