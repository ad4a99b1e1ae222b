"""Pages for people."""

from flask import Blueprint

from bot.demo.fake.actions import Actions


def pages_blueprint(world: Actions) -> Blueprint:
    return Blueprint("pages", __name__)
