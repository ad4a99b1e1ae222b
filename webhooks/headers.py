"""What every page for people is sent with."""

_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action {form}; frame-ancestors 'none'"
HEADERS = {
    # No script, no image, no frame, and nothing from elsewhere: even what slipped through the escaping would be dead.
    "Content-Security-Policy": _POLICY.format(form="'none'"),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address is the key
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}
# Of pages with filters and the button to sign out.
HEADERS_WITH_FORMS = {**HEADERS, "Content-Security-Policy": _POLICY.format(form="'self'")}
