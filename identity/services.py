"""What can be done in identity, by whom, with an audit row each.

>>> put_persona(PersonaForm("c-1", "night", "月影"), by="service:ab12")
... # doctest: +SKIP
"""

import zoneinfo
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now

from identity.errors import InvalidTimeZone, PersonaNotFound, RelationshipNotFound
from identity.models import (
    Creator,
    CreatorPersona,
    CreatorPersonaProfile,
    GlobalUser,
    Relationship,
    UserFacet,
)
from identity.types import RelationshipKind
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.sharding.ids import bucket_of_user
from memsys.kernel.text.clean import check_identifier, clean_text
from memsys.kernel.text.privacy import mask

PERSONA_CHAIN = "personas"


@dataclass(frozen=True)
class PersonaForm:
    """What a caller says of a persona."""

    creator: str
    key: str
    display_name: str
    relationship_kind: str = RelationshipKind.SERVICE.value

    def __post_init__(self) -> None:
        """Refuse bad names.

        Raises:
            InvalidIdentifier: naming the field and what was expected.
        """
        for field in ("creator", "key", "display_name"):
            check_identifier(getattr(self, field), field=field)


@dataclass(frozen=True)
class ProfileForm:
    """What a persona is like; the texts are the creator's own."""

    background: str = ""
    voice: str = ""
    taboos: tuple[str, ...] = ()
    standard_lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class UserForm:
    """What the platform tells of a user; None leaves a field as it is."""

    age_band: str | None = None
    locale: str | None = None
    time_zone: str | None = None
    nickname: str | None = None


def put_persona(form: PersonaForm, *, by: str) -> CreatorPersona:
    """Make a persona or change its name and kind; the creator is made if new."""
    with transaction.atomic():
        creator, _ = Creator.objects.get_or_create(external_id=form.creator)
        persona, _ = CreatorPersona.objects.update_or_create(
            creator=creator,
            key=form.key,
            defaults={
                "display_name": form.display_name,
                "relationship_kind": form.relationship_kind,
            },
        )
        record(
            Deed(
                chain=PERSONA_CHAIN,
                action="persona.put",
                actor=by,
                object_ref=f"persona:{persona.pk}",
                field_names=("display_name", "relationship_kind"),
            )
        )
    return persona


def put_profile(
    persona_id: UUID, form: ProfileForm, *, by: str
) -> CreatorPersonaProfile:
    """Append a version of a persona's profile; all relationships read it at once.

    Raises:
        PersonaNotFound: there is no such persona.
    """
    with transaction.atomic():
        persona = (
            CreatorPersona.objects.select_for_update().filter(pk=persona_id).first()
        )
        if persona is None:
            raise PersonaNotFound("There is no such persona.")
        last = persona.profiles.aggregate(last=Max("version"))["last"] or 0
        profile = CreatorPersonaProfile.objects.create(
            persona=persona,
            version=last + 1,
            background=clean_text(form.background),
            voice=clean_text(form.voice),
            taboos=[clean_text(one) for one in form.taboos],
            standard_lines=[clean_text(one) for one in form.standard_lines],
            author=by,
        )
        persona.profile_version = profile.version
        persona.save(update_fields=["profile_version"])
        record(
            Deed(
                chain=PERSONA_CHAIN,
                action="persona.profile_put",
                actor=by,
                object_ref=f"persona:{persona.pk}",
                field_names=("background", "voice", "taboos", "standard_lines"),
            )
        )
    return profile


def get_persona(*, creator: str, key: str) -> CreatorPersona:
    """Return a persona by the names that callers use. One query.

    Raises:
        PersonaNotFound: there is no such persona of this creator.
    """
    row = CreatorPersona.objects.filter(key=key, creator__external_id=creator).first()
    if row is None:
        raise PersonaNotFound("There is no such persona of this creator.")
    return row


def find_profile(persona_id: UUID) -> CreatorPersonaProfile | None:
    """Return the profile in force, or None before the first. One query."""
    return (
        CreatorPersonaProfile.objects.filter(persona_id=persona_id)
        .order_by("-version")
        .first()
    )


def get_profile(persona_id: UUID, *, version: int) -> CreatorPersonaProfile | None:
    """Return one version of a persona's profile, None for the 0th; never changed.

    What a process has read once it does not read again: no query, or one.
    """
    return None if version == 0 else _read_profile(persona_id, version)


@lru_cache(maxsize=1024)
def _read_profile(persona_id: UUID, version: int) -> CreatorPersonaProfile:
    return CreatorPersonaProfile.objects.get(persona_id=persona_id, version=version)


def put_user(relationship_id: UUID, form: UserForm, *, by: str) -> None:
    """Store what the platform tells of the user of a relationship.

    Raises:
        InvalidTimeZone: the zone is not in the tz database.
        RelationshipNotFound: there is no such relationship.
    """
    if form.time_zone is not None and (
        form.time_zone not in zoneinfo.available_timezones()
    ):
        raise InvalidTimeZone("time_zone must be a name of the tz database.")
    with transaction.atomic():
        relationship = Relationship.objects.filter(pk=relationship_id).first()
        if relationship is None:
            raise RelationshipNotFound("There is no such relationship.")
        told = {
            name: value
            for name in ("age_band", "locale", "time_zone")
            if (value := getattr(form, name)) is not None
        }
        if form.age_band is not None:
            set_age_band(relationship.global_user_id, form.age_band)
        if told:
            GlobalUser.objects.filter(pk=relationship.global_user_id).update(**told)
        if form.nickname is not None:
            UserFacet.objects.filter(pk=relationship.facet_id).update(
                nickname=mask(clean_text(form.nickname)).text
            )
            told["nickname"] = ""
        record(
            Deed(
                chain=deed_chain(relationship.global_user_id),
                action="user.put",
                actor=by,
                object_ref=f"user:{relationship.global_user_id}",
                field_names=tuple(told),
            )
        )


def set_age_band(user_id: UUID, age_band: str) -> None:
    """Store a user's age band; it counts with the next request, in all relationships.

    What a minor's memories are kept for is looked at in the next night. Whoever asks
    records the deed.
    """
    rows = GlobalUser.objects.filter(pk=user_id).exclude(age_band=age_band)
    if rows.update(age_band=age_band):
        Relationship.objects.of_user(user_id).bring_retention_forward(Now())


def mark_synthetic(external_id: str, *, by: str) -> bool:
    """Make a user for the demo or an evaluation, who holds every grant.

    Says whether the user of that name is one now. A real user never becomes one: who
    is there already stays as they are.

    Raises:
        InvalidIdentifier: naming the field and what was expected.
    """
    check_identifier(external_id, field="user")
    with transaction.atomic():
        user, is_new = GlobalUser.objects.get_or_create(
            shard=bucket_of_user(external_id),
            external_id=external_id,
            defaults={"is_synthetic": True},
        )
        if is_new:
            record(
                Deed(
                    chain=deed_chain(user.pk),
                    action="user.made_synthetic",
                    actor=by,
                    object_ref=f"user:{user.pk}",
                    field_names=("is_synthetic",),
                )
            )
    return user.is_synthetic
