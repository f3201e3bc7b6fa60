"""The address of whoever calls, which a caller cannot make up.

Owns whose word is taken: `X-Forwarded-For` only from as many trusted proxies as the
setting says, else the address of the connection.

>>> client_address(request)  # doctest: +SKIP
'203.0.113.7'
"""

import ipaddress
import logging

from django.conf import settings
from django.http import HttpRequest

logger = logging.getLogger("memsys.proxy")


def client_address(request: HttpRequest) -> str:
    """Return the caller's address; each trusted proxy added one entry at the end.

    With fewer entries than proxies the setting is wrong: that is logged as an error,
    and the connection's own address stands.
    """
    direct = str(request.META.get("REMOTE_ADDR") or "")
    hops = settings.TRUSTED_PROXY_HOPS
    if not hops:
        return direct
    entries = str(request.META.get("HTTP_X_FORWARDED_FOR") or "").split(",")
    if len(entries) < hops or not _is_address(entries[-hops].strip()):
        logger.error("proxy.hops_wrong", extra={"trusted_hops": hops})
        return direct
    return entries[-hops].strip()


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
