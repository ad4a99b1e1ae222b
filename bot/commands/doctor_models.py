"""The part of `bouncer doctor` about models: can each that has a task be reached, and is its money limited?"""

import json
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

import requests

from bot.commands.doctor_lines import CheckLine, fails, passes, warns
from bot.judges.openai import models
from bot.judges.openai.spend import prices
from bot.plain_text import clean
from bot.settings import Settings

TIMEOUT = 10  # seconds
MAX_LIST = 2_000_000  # bytes of the list of models that are read
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def model_lines(settings: Settings) -> Iterator[CheckLine]:
    """BOUNCER_MODEL first, then each further one."""
    if settings.judge != "openai":
        yield passes("judge", "offline: needs no model")
        return
    for name in (settings.model, *(each.model for each in settings.models)):
        model, tasks = settings.with_model(name), _tasks(settings, name)
        check = "judge" if name == settings.model else "model"
        if not tasks:
            mend = "Name it in BOUNCER_VOTER_MODELS, BOUNCER_FIRST_MODEL, BOUNCER_EVALUATOR_MODEL or"
            yield warns(check, f"{name} has no task", f"{mend} BOUNCER_WRITER_MODEL, or take it out of BOUNCER_MODELS.")
            continue
        yield from _money(model)
        yield from _reached(model, check, f": {', '.join(tasks)}" if settings.models else "")


def _tasks(settings: Settings, name: str) -> list[str]:
    """What a model does, as phrases."""
    cheap = models.first(settings)
    does = {
        "is asked first": cheap is not None and cheap.model == name,
        "judges": name in [each.model for each in models.voters(settings)],
        "checks reviews": models.evaluator(settings).model == name,
        "writes tests": models.test_writer(settings).model == name,
    }
    return [phrase for phrase, true in does.items() if true]


def _money(model: Settings) -> Iterator[CheckLine]:
    limits = [limit for limit in (model.model_spend_per_day, model.model_own_spend_per_day) if limit]
    mend = f"Set {model.where('model_price_in')} and {model.where('model_price_out')}."
    whose = f"{model.model}: " if model.models else ""
    if limits and not prices(model).known:
        yield fails("spend", f"{whose}a ceiling without token prices: every verdict would be UNAVAILABLE", mend)
    elif not prices(model).known:
        yield warns("spend", f"{whose}without token prices no cost is counted", mend)
    elif not limits:
        yield warns("spend", f"{whose}there is no ceiling", "Set BOUNCER_MODEL_SPEND_PER_DAY.")
    else:
        yield passes("spend", f"{whose}at most {min(limits):g} a day")


def _reached(model: Settings, check: str, tasks: str) -> Iterator[CheckLine]:
    """Ask for the list of models, which costs nothing."""
    address = urlsplit(model.model_base_url)
    host = address.hostname or ""
    key = model.model_api_key.get_secret_value() if model.model_api_key else ""
    if key and address.scheme == "http" and host not in LOOPBACK:
        yield warns(check, "the key travels unencrypted", f"Use an https address in {model.where('model_base_url')}.")
    yield _listed(model, check, host, key, tasks)


def _listed(model: Settings, check: str, host: str, key: str, tasks: str) -> CheckLine:
    try:
        status, listed = _models(f"{model.model_base_url.rstrip('/')}/models", key)
    except (requests.RequestException, UnicodeError) as error:
        mend = f"Check {model.where('model_base_url')}, the network and the proxy."
        return fails(check, f"{host} cannot be reached ({type(error).__name__})", mend)
    if status in (401, 403):
        return fails(check, f"{host} refuses the key ({status})", f"Correct {model.where('model_api_key')}.")
    if listed is None:
        mend = "Try it: `bouncer judge issue FILE` asks the model once."
        return warns(check, f"{host} answers, but does not list its models ({status})", mend)
    if model.model not in listed:
        close = get_close_matches(model.model, listed, n=1)
        mend = f"Did you mean {clean(close[0])}? " if close else ""
        return fails(check, f"{host} does not list the model {model.model}", f"{mend}Correct {model.where('model')}.")
    return passes(check, f"{model.model} at {host}{tasks}")


def _models(address: str, key: str) -> tuple[int, list[str] | None]:
    """The status, and the names of the models where they are listed."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with requests.get(address, headers=headers, timeout=TIMEOUT, allow_redirects=False, stream=True) as answer:
        raw = answer.raw.read(MAX_LIST, decode_content=True)
    try:
        data: Any = json.loads(raw)
        return answer.status_code, [str(model["id"]) for model in data["data"]] if answer.ok else None
    except (ValueError, TypeError, KeyError):
        return answer.status_code, None
