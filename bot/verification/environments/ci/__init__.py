"""How the project's own CI sets up and tests it: read from the base's files, never run here."""
