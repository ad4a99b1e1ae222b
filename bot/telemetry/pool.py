"""Threads that know what they work for: what they log, and their part of a trace, belongs to whoever called them."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Pool(ThreadPoolExecutor):
    """A pool of threads, each task of which is run in the context of its caller."""

    def submit(self, task: Callable[Given, Result], /, *given: Given.args, **named: Given.kwargs) -> Future[Result]:
        return super().submit(copy_context().run, partial(task, *given, **named))
