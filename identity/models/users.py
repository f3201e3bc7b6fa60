"""Users and the faces they show.

>>> GlobalUser(external_id="u-1", age_band="adult")  # doctest: +SKIP
"""

import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from identity.types import AgeBand, UserStatus, age_bands, user_statuses
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.ids import bucket_of_user, new_id
from memsys.kernel.sharding.models import ShardModel


class GlobalUser(ShardModel):
    """A real user; the external id never changes, since it decides the bucket.

    A synthetic one was made for the demo or an evaluation and holds every grant.
    `consents_due_at` is when a job has work on the user's grants, null for none.
    """

    external_id = models.CharField(max_length=200)
    age_band = models.CharField(
        max_length=20, choices=age_bands, default=AgeBand.UNKNOWN
    )
    locale = models.CharField(max_length=20, default="zh-hans")
    time_zone = models.CharField(max_length=60, default="Asia/Shanghai")
    status = models.CharField(
        max_length=20, choices=user_statuses, default=UserStatus.ACTIVE
    )
    is_synthetic = models.BooleanField(default=False)
    consents_due_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        identifying = ("external_id",)
        releasable = ("age_band", "locale")
        technical = (
            "id", "shard", "time_zone", "status", "is_synthetic", "consents_due_at",
            "created_at",
        )  # fmt: skip

    class Meta(ShardModel.Meta):
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "external_id"], name="global_user_external_id"
            ),
        ]
        indexes = [
            models.Index(
                fields=["consents_due_at"],
                condition=models.Q(consents_due_at__isnull=False),
                name="global_user_consents_due",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def make_id(self) -> uuid.UUID:
        return new_id(bucket=bucket_of_user(self.external_id))


class UserFacet(ShardModel):
    """The face that a user shows in some relationships."""

    global_user = ShardForeignKey(GlobalUser, models.PROTECT, db_index=False)
    key = models.CharField(max_length=200)
    nickname = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        identifying = ("key", "nickname")
        technical = ("id", "shard", "global_user", "created_at")

    class Meta(ShardModel.Meta):
        verbose_name = _("facet")
        verbose_name_plural = _("facets")
        constraints = [
            models.UniqueConstraint(
                fields=["shard", "global_user", "key"], name="user_facet_key"
            ),
            models.UniqueConstraint(
                fields=["shard", "global_user", "id"], name="user_facet_owner"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
