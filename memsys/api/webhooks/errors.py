"""What can go wrong with webhooks, by stable codes."""

from memsys.api.errors import ApiError, NotReachable


class WebhookNotFound(NotReachable):
    """There is no such endpoint, or it is not for this key."""


class DeliveryNotFound(NotReachable):
    """There is no such delivery, or it is not for this key."""


class TooManyWebhooks(ApiError):
    """There are as many endpoints as there may be."""

    code = "too-many-webhooks"


class BodyGone(ApiError):
    """What was to be sent is no longer kept."""

    code = "webhook-body-gone"
