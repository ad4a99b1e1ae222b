"""Whether a report still holds: what it shows is run at both ends of the history, and what came of it decides."""
