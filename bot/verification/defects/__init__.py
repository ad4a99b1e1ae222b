"""One engine that breaks code on purpose, and asks which tests notice."""
