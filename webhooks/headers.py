"""What every answer is sent with."""

from flask import Flask, Response

OWN_FORMS = "'self'"
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action {form}; frame-ancestors 'none'"
HEADERS = {
    # No script, no image, no frame, and nothing from elsewhere: even what slipped through the escaping would be dead.
    "Content-Security-Policy": _POLICY.format(form="'none'"),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address is the key
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cross-Origin-Opener-Policy": "same-origin",  # a page that opened this one learns nothing of it
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, no-store",  # no proxy keeps it, and no browser shows it after signing out
}


def add_headers(app: Flask) -> None:
    """Send these with every answer of the application that does not say otherwise, errors among them."""

    @app.after_request
    def shut(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


def policy(form: str) -> str:
    """The policy of a page with forms. form: where they may go."""
    return _POLICY.format(form=form)
