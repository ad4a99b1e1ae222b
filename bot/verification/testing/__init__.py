"""Running a suite on a program inside the sandbox, and believing the report only as far as it can be checked."""
