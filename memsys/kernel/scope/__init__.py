"""Access scopes: the one door to content.

>>> with access_scope(Purpose.SERVICE, relationship=relationship_id):  # doctest: +SKIP
...     Memory.objects.count()
"""

from memsys.kernel.scope.access import (
    Purpose,
    Scope,
    access_scope,
    find_scope,
    require_scope,
)
from memsys.kernel.scope.errors import (
    ScopeBroken,
    ScopeConflict,
    ScopeError,
    ScopeMissing,
)

__all__ = [
    "Purpose",
    "Scope",
    "ScopeBroken",
    "ScopeConflict",
    "ScopeError",
    "ScopeMissing",
    "access_scope",
    "find_scope",
    "require_scope",
]
