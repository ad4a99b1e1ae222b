"""For a WSGI server of one's own: `gunicorn 'webhooks.wsgi:application()'`. Run `bouncer migrate` first."""

from flask import Flask

from bot.settings import load
from webhooks.app import create_app


def application() -> Flask:
    """The web application, configured by the environment."""
    return create_app(load())
