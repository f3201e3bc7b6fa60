"""How far the database knows the erasure ledger, which lies outside of it.

>>> LedgerMark.objects.get().number  # doctest: +SKIP
41
"""

from django.db import models

from memsys.kernel.privacy_class import FieldPrivacy


class LedgerMark(models.Model):
    """The last line of the ledger whose erasure this database has done, or begun.

    There is one row. A restored database is behind the ledger, and the mark tells.
    """

    id = models.SmallIntegerField(primary_key=True, default=1, editable=False)
    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)

    class Privacy(FieldPrivacy):
        technical = ("id", "number", "digest")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(id=1), name="ledger_mark_one_row"
            ),
        ]

    def __str__(self) -> str:
        return str(self.number)
