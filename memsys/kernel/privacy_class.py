"""The classes of data that every model sorts its fields into.

>>> class Privacy(FieldPrivacy):
...     technical = ("id",)
>>> Privacy.technical
('id',)
"""


class FieldPrivacy:
    """Sorts each field of a model into exactly one class; a test reads it.

    identifying: tells who a person is. sensitive: what a person said or is like.
    releasable: may leave by release with consent. technical: none of these.
    """

    identifying: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    releasable: tuple[str, ...] = ()
    technical: tuple[str, ...] = ()
