"""What a page of ours may load and run: our own files, nothing written into it.

Owns the header `Content-Security-Policy` of every page. It allows no inline script, no
`eval` and no inline style, so that text which got past the escaping still runs nothing.
Answers that are not HTML get the strictest form.

>>> "unsafe" in PAGE
False
"""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "Content-Security-Policy"
NOTHING = "default-src 'none'; frame-ancestors 'none'"
# Pictures: the QR code of the second step stands in its page as a data address.
PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


class ContentSecurity:
    """Puts the header on each answer that has none yet."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and say what the answer may do in a browser."""
        response = self.get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        response.headers.setdefault(HEADER, PAGE if is_page else NOTHING)
        return response
