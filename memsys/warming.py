"""Readies a process before it serves.

Owns what would otherwise be paid by the first request: tables of the tokenizer, the
character table, the embedder's weights. Refuses an unsafe database login, and a database
that was restored and has not erased again what the ledger knows.

>>> warm_up()  # doctest: +SKIP
"""

from django.conf import settings
from django.utils import timezone

from consent.erasures import make_up
from memories.embedding import get_embedder
from memsys.kernel.scope.login import check_login
from memsys.kernel.text.budget import count_tokens
from memsys.kernel.text.privacy import mask
from memsys.kernel.text.tokens import tokenize
from recall.context_types import Quotas

SAMPLE = "暖一暖"


def warm_up() -> None:
    """Check the login and load what answering needs.

    Raises:
        UnsafeLogin: the database login could read past row-level security.
        LedgerError: the database is behind the erasure ledger, or that is damaged.
        ImproperlyConfigured: the embedder or the tokenizer cannot be had.
        PolicyOutOfBounds: CONTEXT_QUOTAS holds a share that is not allowed.
    """
    check_login()
    make_up(now=timezone.now())
    Quotas(**settings.CONTEXT_QUOTAS)
    mask(SAMPLE)
    tokenize(SAMPLE)
    count_tokens(SAMPLE)
    get_embedder().embed_query(SAMPLE)
