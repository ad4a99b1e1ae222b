"""One index of a change's files: who judges, and what is judged."""
