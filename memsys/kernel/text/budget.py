"""How many tokens a text costs a model, counted offline.

Owns the tokenizer and the one question asked of it. The count is of the whole string as
it is sent: counting parts and adding up would be wrong at their borders. Estimates by
length are not used: for Chinese they are off by a factor of up to six.

    >>> fits("今天有点难过", 10)
    True
"""

from functools import cache
from threading import Lock
from typing import Protocol
from warnings import catch_warnings, simplefilter

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

DEFAULT_ENCODING = "o200k_base"

_loading = Lock()


class _Tokenizer(Protocol):
    def count(self, text: str) -> int: ...

    def count_till_limit(self, text: str, token_limit: int) -> int | None: ...


class UnknownEncoding(ValueError):
    """The setting `TOKEN_ENCODING` names no encoding that is built in."""

    code = "unknown-encoding"


def count_tokens(text: str) -> int:
    """Return the exact number of tokens of the whole text.

    Special tokens written in the text count as the plain characters that they are; a
    lone surrogate counts as the mark that would be sent for it. The first call loads
    the tables (about 1 s, 130 MB, once per process); after that some 5 us a message.

    Raises:
        UnknownEncoding: the setting names no encoding that is built in.
    """
    return _tokenizer().count(_encodable(text))


def fits(text: str, budget: int) -> bool:
    """Tell whether the whole text costs at most `budget` tokens."""
    if budget < 0:
        return False
    return _tokenizer().count_till_limit(_encodable(text), budget) is not None


def encoding_name() -> str:
    """Return the setting `TOKEN_ENCODING`, `o200k_base` if there is none."""
    try:
        return str(getattr(settings, "TOKEN_ENCODING", DEFAULT_ENCODING))
    except ImproperlyConfigured:  # outside Django: a script, a unit test
        return DEFAULT_ENCODING


def _tokenizer() -> _Tokenizer:
    name = encoding_name()
    with _loading:  # two threads would each load the tables
        return _loaded(name)


@cache
def _loaded(name: str) -> _Tokenizer:
    # Imported here: the module alone costs 77 MB, and most processes never count. It
    # reads its tables by a call that Python 3.11 deprecates. The package's own wrapper
    # is passed by, since it refuses texts of a million characters; the compiled
    # tokenizer below it does not.
    with catch_warnings():
        simplefilter("ignore", DeprecationWarning)
        from bpe_openai import _bindings

    if name not in _bindings.supported_encodings():
        known = ", ".join(_bindings.supported_encodings())
        raise UnknownEncoding(f"TOKEN_ENCODING must be one of: {known}")
    tokenizer: _Tokenizer = _bindings.tokenizer_for_encoding(name)
    return tokenizer


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
