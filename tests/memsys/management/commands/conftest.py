"""Chains that the tests of the commands may tamper with."""

from tests.memsys.kernel.audit.conftest import chain, tamper
from tests.memsys.kernel.conftest import superuser

__all__ = ["chain", "superuser", "tamper"]
