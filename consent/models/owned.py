"""The base of rows that belong to one user, over all relationships.

>>> class Grant(UserModel):  # doctest: +SKIP
...     scope = models.CharField(max_length=80)
"""

from django.db import models

from identity.models import GlobalUser
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel


class UserModel(ShardModel):
    """Row of one user. What row-level policies guard is touched in a scope only."""

    global_user = ShardForeignKey(
        GlobalUser, models.DO_NOTHING, related_name="+", db_index=False
    )

    class Meta(ShardModel.Meta):
        abstract = True
