"""How each kind of example in a report becomes a reproduction. Pure; nothing here raises."""
