"""Creators, their personas and what a persona is like.

>>> CreatorPersona(key="night", display_name="月影")  # doctest: +SKIP
"""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from identity.types import RelationshipKind, relationship_kinds
from memsys.kernel.privacy_class import FieldPrivacy
from memsys.kernel.sharding.ids import new_id


class Creator(models.Model):
    """A real creator."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    external_id = models.CharField(max_length=200, unique=True)
    display_name = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        identifying = ("external_id", "display_name")
        technical = ("id", "created_at")

    class Meta:
        verbose_name = _("creator")
        verbose_name_plural = _("creators")

    def __str__(self) -> str:
        return str(self.pk)


class CreatorPersona(models.Model):
    """One of a creator's personas; `relationship_kind` decides the rules for minors.

    `profile_version` is that of the profile in force, 0 before the first.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    creator = models.ForeignKey(Creator, models.PROTECT, db_index=False)
    key = models.CharField(max_length=200)
    display_name = models.CharField(max_length=200)
    relationship_kind = models.CharField(
        max_length=20, choices=relationship_kinds, default=RelationshipKind.SERVICE
    )
    profile_version = models.IntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        technical = (
            "id", "creator", "key", "display_name", "relationship_kind",
            "profile_version", "created_at",
        )  # fmt: skip

    class Meta:
        verbose_name = _("persona")
        verbose_name_plural = _("personas")
        constraints = [
            models.UniqueConstraint(
                fields=["creator", "key"], name="creator_persona_key"
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class CreatorPersonaProfile(models.Model):
    """One version of what a persona is like; the highest version is in force."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    persona = models.ForeignKey(
        CreatorPersona, models.PROTECT, related_name="profiles", db_index=False
    )
    version = models.IntegerField()
    background = models.TextField(blank=True)
    voice = models.TextField(blank=True)
    taboos = models.JSONField(default=list)
    standard_lines = models.JSONField(default=list)
    author = models.CharField(max_length=100)
    created_at = models.DateTimeField(db_default=Now())

    class Privacy(FieldPrivacy):
        technical = (
            "id", "persona", "version", "background", "voice", "taboos",
            "standard_lines", "author", "created_at",
        )  # fmt: skip

    class Meta:
        verbose_name = _("persona profile")
        verbose_name_plural = _("persona profiles")
        constraints = [
            models.UniqueConstraint(
                fields=["persona", "version"], name="persona_profile_version"
            ),
            models.CheckConstraint(
                condition=models.Q(version__gte=1), name="persona_profile_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.persona_id} v{self.version}"
