"""The desk's pages that are no list of one model; importing them registers them."""

from memsys.desk.views import (
    chains,
    consents,
    costs,
    decisions,
    deeds,
    erasing,
    proposals,
    recall_proposals,
    reveals,
    role_proposals,
    roles,
    searching,
    signing_in,
    text_proposals,
    texts,
)

__all__ = [
    "chains",
    "consents",
    "costs",
    "decisions",
    "deeds",
    "erasing",
    "proposals",
    "role_proposals",
    "recall_proposals",
    "reveals",
    "roles",
    "searching",
    "signing_in",
    "text_proposals",
    "texts",
]
