"""Tables of recall: the policy that ranking follows.

>>> RecallPolicy(scope="global").weight_vector
0.55
"""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from identity.models import CreatorPersona
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id


class RecallPolicy(models.Model):
    """How memories are ranked: for all, for one persona, or for one scenario of it.

    The most particular policy wins: persona and scenario, persona, scenario, global.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    persona = models.ForeignKey(
        CreatorPersona, models.PROTECT, null=True, blank=True, db_index=False
    )
    scenario = models.CharField(max_length=20, blank=True)
    fusion = models.CharField(max_length=20, default="weighted")
    weight_vector = models.FloatField(
        default=0.55, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    weight_recency = models.FloatField(default=0.05)
    weight_importance = models.FloatField(default=0.03)
    date_bonus = models.FloatField(default=0.6)
    rrf_k = models.IntegerField(default=60)
    top_k = models.IntegerField(default=5)
    per_session = models.IntegerField(default=3)
    allow_payment_signal = models.BooleanField(default=False)
    allow_emotion_signal = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        technical = (
            "id", "persona", "scenario", "fusion", "weight_vector", "weight_recency",
            "weight_importance", "date_bonus", "rrf_k", "top_k", "per_session",
            "allow_payment_signal", "allow_emotion_signal", "created_at",
        )  # fmt: skip

    class Meta:
        verbose_name = _("recall policy")
        verbose_name_plural = _("recall policies")
        constraints = [
            models.UniqueConstraint(
                fields=["persona", "scenario"],
                nulls_distinct=False,
                name="recall_policy_scope",
            ),
            models.CheckConstraint(
                condition=models.Q(fusion__in=["weighted", "rrf"]),
                name="recall_policy_fusion",
            ),
            models.CheckConstraint(
                condition=models.Q(weight_vector__gte=0, weight_vector__lte=1),
                name="recall_policy_vector_range",
            ),
            models.CheckConstraint(
                condition=models.Q(weight_recency__gte=0, weight_recency__lte=0.1),
                name="recall_policy_recency_cap",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    weight_importance__gte=0, weight_importance__lte=0.05
                ),
                name="recall_policy_importance_cap",
            ),
            models.CheckConstraint(
                condition=models.Q(top_k__gte=3, top_k__lte=5),
                name="recall_policy_top_k_range",
            ),
            models.CheckConstraint(
                condition=models.Q(per_session__gte=1, per_session__lte=3),
                name="recall_policy_session_cap",
            ),
            models.CheckConstraint(
                condition=models.Q(rrf_k__gte=1), name="recall_policy_rrf_k"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
