"""What people can say about a review bot's rejection: a command a file."""
