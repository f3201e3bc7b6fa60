"""What can go wrong with access scopes. No message holds an id or text."""


class ScopeError(Exception):
    """Base of the errors of this package."""

    code = "scope-error"


class ScopeMissing(ScopeError):
    """Content was touched outside an access scope."""

    code = "scope-missing"


class ScopeConflict(ScopeError):
    """A scope was opened inside the scope of something else."""

    code = "scope-conflict"


class ScopeBroken(ScopeError):
    """A statement failed inside the scope, so its transaction cannot be committed."""

    code = "scope-broken"


class UnsafeLogin(ScopeError):
    """The database login could see past the isolation of relationships."""

    code = "unsafe-login"
