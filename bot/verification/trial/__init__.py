"""The trial of a change: who judges it, what it shows of itself, and what it contradicts."""
