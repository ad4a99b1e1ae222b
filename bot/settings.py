"""The server's environment as a value. Every variable starts with `BOUNCER_`; secrets never show in repr or logs."""

import json
import os
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot import settings_file
from bot.registry import AUTO, EXECUTORS, JUDGES, describe, names
from bot.settings_file import SettingsError

__all__ = ["FurtherModel", "Settings", "SettingsError", "load"]


Effort = Literal["", "minimal", "low", "medium", "high"]


MODEL_ADDRESS = "http://localhost:11434/v1"  # an example in messages
INHERITED = ("base_url", "api_key", "max_tokens", "timeout")  # what an entry that leaves it out has of BOUNCER_MODEL


class FurtherModel(BaseModel):
    """One entry of BOUNCER_MODELS. Address, key, length and time are those of BOUNCER_MODEL where they are left out;
    but a key never goes to an address that it was not given for."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key: SecretStr | None = None
    effort: Effort = ""
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=64)
    timeout: float | None = Field(None, gt=0)
    price_in: float = Field(0.0, ge=0)
    price_out: float = Field(0.0, ge=0)
    own_spend_per_day: float = Field(0.0, ge=0)

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, address: str | None) -> str | None:
        return None if address is None else web_address(address, MODEL_ADDRESS)

    @field_validator("model")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if "," in name or " + " in name or name != name.strip():
            raise ValueError("a name without commas, ` + ` and spaces around it")
        return name


class Settings(BaseSettings):
    """See docs/settings.md, kept in step by a test."""

    model_config = SettingsConfigDict(env_prefix="BOUNCER_", frozen=True, extra="ignore", allow_inf_nan=False)

    settings_file: Path | None = Field(
        Path("~/.config/bouncer/app.env"),
        description="A file with further settings, `NAME=value` a line; `bouncer setup` writes the App's into it.",
    )
    setup: bool = Field(False, description="Until there is an App, serve `/setup` alone, where one is registered.")

    app_id: int | None = Field(None, description="The App's numeric id.")
    private_key: SecretStr | None = Field(None, description="The App's private key, PEM text.")
    private_key_path: Path | None = Field(None, description="The path of the App's private key, instead of its text.")
    webhook_secret: SecretStr | None = Field(None, description="The webhook secret; without one Bouncer won't start.")
    webhook_secret_previous: SecretStr | None = Field(None, description="The old secret, accepted during rotation.")
    client_id: str = Field("", description="The App's client id. With its secret, people can sign in.")
    client_secret: SecretStr | None = Field(None, description="The App's client secret.")
    github_api_url: str = Field("https://api.github.com", description="REST address; `https://HOST/api/v3` for GHES.")
    github_web_url: str = Field("https://github.com", description="Where people read issues.")
    seconds_between_writes: float = Field(1.0, ge=0, description="The least time between two writes to GitHub.")
    allowed_accounts: str = Field("", description="Accounts that may install, comma separated; empty means all.")

    database_url: str = Field("sqlite:///var/bouncer.db", description="SQLAlchemy address: SQLite or PostgreSQL.")
    worker_id: str = Field("worker-1", description="A stable name for this worker; unique among running workers.")
    worker_threads: int = Field(4, ge=1, le=64, description="Short runs a worker does at once, and as many long ones.")
    host: str = Field("127.0.0.1", description="Where the web process listens.")
    port: int = Field(8000, ge=0, le=65535, description="Where the web process listens; 0 picks a free one.")
    public_url: str = Field("", description="Where people reach the web process; checks then link to verdict pages.")
    statement_key_path: Path | None = Field(
        None, description="The key that signs verdicts as statements; `bouncer statement-key` makes it."
    )
    web_threads: int = Field(8, ge=1, le=64, description="Large requests that the web process reads at once.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="How much is logged.")
    metrics_port: int = Field(0, ge=0, le=65535, description="Where a worker shows its `/metrics`; 0: nowhere.")
    metrics_host: str = Field("127.0.0.1", description="The address of that port.")
    log_format: Literal["text", "json"] = Field("text", description="Lines of text, or one JSON object a line.")

    cache_dir: Path = Field(Path("var/cache"), description="Where source code and built environments are kept.")
    cache_mb: int = Field(10_000, ge=100, description="The most each kind of cache takes there, in MB.")
    repository_mb: int = Field(1000, ge=1, description="The most one repository takes there, in MB.")
    history_mb: int = Field(2000, ge=1, description="The most one repository's whole history takes there, in MB.")
    package_hosts: str = Field(
        "pypi.org files.pythonhosted.org registry.npmjs.org registry.yarnpkg.com proxy.golang.org sum.golang.org "
        "index.crates.io static.crates.io",
        description="Public hosts that setup may reach, `host` or `host:port`, separated by spaces.",
    )
    package_hosts_internal: str = Field(
        "", description="The same for hosts that may have an address that is not public: mirrors in your network."
    )
    package_index: str = Field("", description="An index inside your network instead of PyPI, as pip takes it.")
    package_registry: str = Field("", description="A registry inside your network instead of npm's.")

    keep_deliveries_days: int = Field(
        7, ge=4, le=365, description="Days deliveries and finished runs are kept; GitHub redelivers for three."
    )
    keep_pages_days: int = Field(
        365,
        ge=0,
        description="Days pages of closed pull requests and settled issues keep what a verdict stands on, at most as "
        "long as records are kept; 0: as long as those.",
    )
    keep_records_days: int = Field(
        0, ge=0, description="Days verdicts, spending and what people did to verdicts are kept; 0: for ever."
    )
    keep_caches_days: int = Field(
        30, ge=0, description="Days code and environments are kept that nobody uses; 0: until there is no room."
    )

    judge: str = Field("offline", description=f"Which judge labels issues. {describe(JUDGES)}.")
    model_base_url: str = Field("https://api.openai.com/v1", description="An OpenAI-compatible endpoint.")
    model_api_key: SecretStr | None = Field(None, description="Its key.")
    model: str = Field("gpt-4.1", description="The model's name there.")
    model_effort: Effort = Field("", description="Reasoning effort, if any.")
    model_temperature: float | None = Field(None, ge=0, le=2, description="Sampling temperature; empty: the model's.")
    model_max_tokens: int = Field(4000, ge=64, description="The most tokens one answer may have.")
    model_timeout: float = Field(120.0, gt=0, description="Seconds one call may take.")
    model_price_in: float = Field(0.0, ge=0, description="Price of a million input tokens.")
    model_price_out: float = Field(0.0, ge=0, description="Price of a million output tokens.")
    model_spend_per_day: float = Field(0.0, ge=0, description="Spend ceiling per UTC day, all models; 0 means none.")
    model_own_spend_per_day: float = Field(0.0, ge=0, description="The same for `BOUNCER_MODEL` alone.")
    models: Annotated[tuple[FurtherModel, ...], NoDecode] = Field(
        (), description="Further models, as a JSON list: see below."
    )
    voter_models: str = Field("", description="Further models that judge issues too, comma separated; most decide.")
    first_model: str = Field("", description="A cheap model that is asked about each issue first: see below.")
    evaluator_model: str = Field(
        "", description="Who checks that a review says what its verdict says; empty: a further one of another maker."
    )
    writer_model: str = Field(
        "", description="Who alone writes tests; empty: `BOUNCER_MODEL` and one of another maker."
    )

    executor: str = Field(
        AUTO,
        description=f"What runs untrusted code; `auto`: the first that isolates here. {describe(EXECUTORS)}."
        " See docs/sandbox.md.",
    )
    container_command: str = Field("", description="`podman` or `docker`, or its path; empty: whichever works.")
    sandbox_image: str = Field("", description="The image jobs run in; empty: this release's own, by digest.")
    actions_repository: str = Field("", description="The runner repository, `OWNER/NAME`; docs/sandbox.md.")
    github_token: SecretStr | None = Field(
        None, description="A person's token, for `bouncer backtest` alone: 5,000 calls an hour instead of 60."
    )
    actions_token: SecretStr | None = Field(None, description="A token for the runner repository and nothing else.")

    @field_validator("judge", "executor")
    @classmethod
    def _is_known(cls, name: str, info: ValidationInfo) -> str:
        known = names(JUDGES) if info.field_name == "judge" else (AUTO, *names(EXECUTORS))
        if name not in known:
            raise ValueError(f"give one of {', '.join(known)}")
        return name

    @field_validator("actions_repository")
    @classmethod
    def _is_repository(cls, name: str) -> str:
        if name and not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
            raise ValueError("give OWNER/NAME, e.g. acme/bouncer-runner")
        return name

    @field_validator("package_hosts", "package_hosts_internal")
    @classmethod
    def _are_hosts(cls, hosts: str) -> str:
        for entry in hosts.split():
            if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?", entry.lower()):
                raise ValueError("give host names separated by spaces, perhaps with a port, e.g. pypi.org mirror:8080")
        return hosts

    @field_validator("public_url", "model_base_url", "package_index", "package_registry")
    @classmethod
    def _is_web_address(cls, address: str, info: ValidationInfo) -> str:
        if not address and info.field_name != "model_base_url":
            return address
        return web_address(address, "https://bouncer.example.com" if info.field_name == "public_url" else MODEL_ADDRESS)

    @field_validator("models", mode="before")
    @classmethod
    def _is_json(cls, given: Any) -> Any:
        """Read here, and not by the library: its message would repeat the text, which holds keys."""
        if not isinstance(given, str):
            return given
        try:
            read = json.loads(given) if given.strip() else []
        except (ValueError, RecursionError):
            read = None
        if not isinstance(read, list) or not all(isinstance(each, dict) for each in read):
            raise ValueError('give a JSON list, e.g. [{"model": "claude-sonnet-4-5"}]')
        return read

    @field_validator("models")
    @classmethod
    def _are_different(cls, models: tuple[FurtherModel, ...], info: ValidationInfo) -> tuple[FurtherModel, ...]:
        given = [info.data.get("model"), *(each.model for each in models)]
        if twice := next((name for name in given if given.count(name) > 1), None):
            raise ValueError(f"{twice} is there twice, or is BOUNCER_MODEL; name each model once")
        return models

    @field_validator("voter_models", "first_model", "evaluator_model", "writer_model")
    @classmethod
    def _are_models(cls, given: str, info: ValidationInfo) -> str:
        if "models" not in info.data:
            return given  # what is wrong there is said already
        further = [each.model for each in info.data["models"]]
        alone = info.field_name in ("evaluator_model", "writer_model")
        known = [info.data.get("model"), *further] if alone else further
        wanted = split_names(given) if info.field_name == "voter_models" else (given,) if given else ()
        if unknown := next((name for name in wanted if name not in known), None):
            raise ValueError(f"{unknown} is no model of BOUNCER_MODELS{' or BOUNCER_MODEL' if alone else ''}")
        if info.field_name == "first_model" and given in split_names(info.data.get("voter_models", "")):
            raise ValueError(f"{given} votes already; name a cheaper one that does not")
        return given

    @property
    def has_app(self) -> bool:
        """Whether any setting of an App is there."""
        secrets = (getattr(self, name) for name in SECRETS_OF_THE_APP)
        given = any(secret is not None and secret.get_secret_value().strip() for secret in secrets)
        return given or bool(self.client_id) or self.app_id is not None or self.private_key_path is not None

    @property
    def pages_days(self) -> int:
        """Days pages keep what a verdict stands on: never longer than the verdict itself. 0 for ever."""
        return min((days for days in (self.keep_pages_days, self.keep_records_days) if days), default=0)

    @cached_property
    def account_names(self) -> frozenset[str]:
        """The allowed accounts in lower case; empty means every account."""
        return frozenset(name.lower() for name in split_names(self.allowed_accounts))

    def with_model(self, name: str) -> "Settings":
        """The same with another of the models in the place of BOUNCER_MODEL."""
        if name == self.model:
            return self
        further = next(each for each in self.models if each.model == name)
        own = {f"model_{field}": value for field, value in further if field != "model"}
        same_place = further.base_url in (None, self.model_base_url)
        left_out = {
            f"model_{field}"
            for field in INHERITED
            if getattr(further, field) is None and (same_place or field != "api_key")
        }
        return self.model_copy(update={"model": name, **{k: v for k, v in own.items() if k not in left_out}})

    def where(self, field: str) -> str:
        """How people set a field of this model: `BOUNCER_MODEL_API_KEY`, or `api_key` of an entry of BOUNCER_MODELS."""
        entry = next((each for each in self.models if each.model == self.model), None)
        name = field.removeprefix("model_")
        elsewhere = entry is not None and entry.base_url is not None and name == "api_key"
        if entry is None or (name in INHERITED and getattr(entry, name) is None and not elsewhere):
            return f"BOUNCER_{field.upper()}"
        return f"`{name}` of {self.model} in BOUNCER_MODELS"


NO_APP = (
    "No App is set up yet: start `bouncer run` with BOUNCER_SETUP=1 and open the link that it prints, "
    "or run `bouncer setup`."
)
SECRETS_OF_THE_APP = ("private_key", "webhook_secret", "webhook_secret_previous", "client_secret")


def with_new_secrets(settings: Settings) -> Settings:
    """The same, with the App's secrets as the settings file has them now; those of the environment cannot change.

    A previous webhook secret that the file no longer has is over. Raises SettingsError where the file cannot be read.
    """
    kept = settings_file.values()
    names = {field: f"BOUNCER_{field.upper()}" for field in SECRETS_OF_THE_APP}
    found: dict[str, SecretStr | None] = {field: SecretStr(kept[name]) for field, name in names.items() if name in kept}
    if "webhook_secret" in found and not os.environ.get(names["webhook_secret_previous"]):
        found.setdefault("webhook_secret_previous", None)
    return settings.model_copy(update=found)


def split_names(text: str) -> tuple[str, ...]:
    """The names of a comma separated list."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def web_address(address: str, example: str) -> str:
    """It, as it was given. Raises `ValueError` with the mend."""
    problem = f"give an http or https address without a user, e.g. {example}"
    try:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0 or "@" in parts.netloc:
            raise ValueError(problem)
    except ValueError:
        raise ValueError(problem) from None
    return address


def logs_json() -> bool:
    """Whether the log is to be JSON. Known also where another setting cannot be used, which is to be said."""
    named = "BOUNCER_LOG_FORMAT"
    try:
        return (os.environ.get(named) or settings_file.values().get(named)) == "json"
    except SettingsError:
        return False


def load(**given: Any) -> Settings:
    """The settings of this process; `given` beats the environment, which beats the settings file. Raises
    SettingsError."""
    prefix = Settings.model_config["env_prefix"]
    kept = {n.removeprefix(prefix).lower(): v for n, v in settings_file.values().items() if n.startswith(prefix)}
    try:
        return Settings(**{**kept, **given})
    except ValidationError as error:
        problems = [
            f"BOUNCER_{'.'.join(map(str, problem['loc'])).upper()}: {problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        raise SettingsError("\n".join(problems)) from None
