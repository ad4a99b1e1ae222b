"""A repository's own past, judged as of its opening, beside what people did then."""
