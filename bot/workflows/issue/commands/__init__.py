"""What people can say on an issue: a command a file."""
