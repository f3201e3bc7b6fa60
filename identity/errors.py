"""What can go wrong in identity. No message holds an id or a name."""


class IdentityError(Exception):
    """Base of the errors of this app."""

    code = "identity-error"


class PersonaNotFound(IdentityError):
    """No such persona; personas are made by the API or at the desk."""

    code = "not-found"


class UserNotFound(IdentityError):
    """Nobody has this name."""

    code = "not-found"


class RelationshipNotFound(IdentityError):
    """No such relationship, or it is not the caller's."""

    code = "not-found"


class InvalidTimeZone(IdentityError):
    """The time zone is not one of the tz database."""

    code = "invalid-time-zone"


class StatusConflict(IdentityError):
    """The status that a relationship has now allows no such change."""

    code = "status-conflict"
