"""The base of every content table.

>>> class Note(ContentModel):  # doctest: +SKIP
...     text = models.TextField()
"""

from django.db import models

from identity.models.relationships import Relationship
from identity.models.users import GlobalUser
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel


class ContentModel(ShardModel):
    """Row that belongs to one relationship; touched inside an access scope only.

    The row-level policies read `relationship` and `global_user`, and a foreign key
    ties the two together.
    """

    global_user = ShardForeignKey(
        GlobalUser, models.DO_NOTHING, related_name="+", db_index=False
    )
    relationship = ShardForeignKey(
        Relationship, models.DO_NOTHING, related_name="+", db_index=False
    )

    class Meta(ShardModel.Meta):
        abstract = True
