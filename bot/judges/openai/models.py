"""Which of the settings' models does what, where they name several.

Who checks or tests another's work comes from another maker, unless somebody says otherwise: models of one family make
the same mistakes, and one that agrees with itself is no second opinion (the evaluator of the overcorrection paper,
section 4.3, is a model outside the judges).
"""

from itertools import takewhile

from bot.settings import Settings, split_names

# How the names of their models begin.
_MAKERS = {
    "OpenAI": ("gpt", "chatgpt", "codex", *(f"o{number}" for number in range(10))),
    "Anthropic": ("claude",),
    "Google": ("gemini", "gemma"),
    "Alibaba": ("qwen", "qwq"),
    "Meta": ("llama",),
    "Mistral": ("mistral", "ministral", "magistral", "devstral", "codestral", "mixtral"),
    "DeepSeek": ("deepseek",),
    "xAI": ("grok",),
}


def maker(model: str) -> str:
    """Who makes this model, by its name; of one that is not known, the word its name begins with."""
    name = model.rpartition("/")[2].lower()
    known = (who for who, begins in _MAKERS.items() if name.startswith(begins))
    return next(known, "".join(takewhile(lambda sign: "a" <= sign <= "z", name)) or name)


def evaluator(settings: Settings) -> Settings:
    """The settings with the model that checks what a review says."""
    return settings.with_model(settings.evaluator_model or _of_another_maker(settings))


def test_writers(settings: Settings) -> tuple[Settings, ...]:
    """The settings of the models that write tests: of the one that is named, else of two makers where they are listed
    (overcorrection paper, section 8.2). The last writes reproductions as well."""
    named = settings.writer_model
    return _of_each(settings, named) if named else _of_each(settings, settings.model, _of_another_maker(settings))


def blind_judges(settings: Settings) -> tuple[Settings, ...]:
    """The settings of the models that are asked blind: of BOUNCER_MODEL, and of those that write tests."""
    return _of_each(settings, settings.model, *(each.model for each in test_writers(settings)))


def voters(settings: Settings) -> tuple[Settings, ...]:
    """The settings of each model that judges issues; the first is BOUNCER_MODEL."""
    return (settings, *(settings.with_model(name) for name in dict.fromkeys(split_names(settings.voter_models))))


def first(settings: Settings) -> Settings | None:
    """The settings of the cheap model that is asked before them."""
    return settings.with_model(settings.first_model) if settings.first_model else None


def judges_of_issues(settings: Settings) -> tuple[Settings, ...]:
    """The settings of all that an issue may be shown to, in the order in which they are asked."""
    cheap = first(settings)
    return (*((cheap,) if cheap else ()), *voters(settings))


def judges_of_pulls(settings: Settings) -> tuple[Settings, ...]:
    """The settings of all that see a pull request: who reviews, who checks the review, who writes tests, and who is
    asked blind."""
    writers = (each.model for each in blind_judges(settings))
    return _of_each(settings, settings.model, evaluator(settings).model, *writers)


def _of_each(settings: Settings, *names: str) -> tuple[Settings, ...]:
    return tuple(map(settings.with_model, dict.fromkeys(names)))


def _of_another_maker(settings: Settings) -> str:
    further = (each.model for each in settings.models)
    return next((name for name in further if maker(name) != maker(settings.model)), settings.model)
