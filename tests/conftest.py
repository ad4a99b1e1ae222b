"""Fixtures shared by all tests; each plugin module owns one real part."""

pytest_plugins = [
    "tests.support.garbage",
    "tests.support.compiling",
    "tests.support.postgres",
    "tests.support.databases",
    "tests.support.ci",
    "tests.support.properties",
    "tests.support.order",
    "tests.support.github",
    "tests.support.commands",
    "tests.support.sandbox",
    "tests.support.model",
    "tests.support.browser",
    "tests.support.wheel",
]
