"""What can be done in identity, each with its audit entry."""

from typing import Any
from uuid import uuid4

import pytest

from identity.errors import InvalidTimeZone, PersonaNotFound, RelationshipNotFound
from identity.models import (
    Creator,
    CreatorPersona,
    CreatorPersonaProfile,
    GlobalUser,
    UserFacet,
)
from identity.resolution import get_relationship
from identity.services import (
    PersonaForm,
    ProfileForm,
    UserForm,
    find_profile,
    get_persona,
    get_profile,
    mark_synthetic,
    put_persona,
    put_profile,
    put_user,
)
from memsys.kernel.text.clean import InvalidIdentifier
from tests.factories.identity import make_persona, make_relationship, new_name
from tests.identity.audit import list_deeds
from tests.parallel import run_parallel

BY = "service:ab12"


@pytest.mark.django_db
class TestPersonas:
    def test_it_makes_the_creator_too(self) -> None:
        name = new_name("creator")

        persona = put_persona(PersonaForm(name, "night", "月影"), by=BY)

        assert persona.creator.external_id == name
        assert persona.relationship_kind == "service"

    def test_it_changes_the_one_that_is_there(self) -> None:
        name = new_name("creator")
        made = put_persona(PersonaForm(name, "night", "月影"), by=BY)

        changed = put_persona(PersonaForm(name, "night", "夜莺", "friend"), by=BY)

        kept = CreatorPersona.objects.get(pk=made.pk)
        assert changed.pk == made.pk
        assert (kept.display_name, kept.relationship_kind) == ("夜莺", "friend")

    def test_each_put_has_its_audit_entry_without_the_name(self) -> None:
        persona = put_persona(PersonaForm(new_name("c"), "night", "暗号七"), by=BY)

        (deed,) = list_deeds("persona", persona.pk)
        assert (deed.action, deed.actor) == ("persona.put", BY)
        assert "暗号" not in str(vars(deed))

    @pytest.mark.parametrize("field", ["creator", "key", "display_name"])
    @pytest.mark.parametrize("name", ["", " ", "a\x00b", "x" * 201])
    def test_it_refuses_bad_names(self, field: str, name: str) -> None:
        """Acceptance row 9."""
        names = {"creator": "c", "key": "k", "display_name": "月影"}

        with pytest.raises(InvalidIdentifier):
            PersonaForm(**names | {field: name})

    def test_it_is_found_by_its_names(self) -> None:
        persona = make_persona()

        found = get_persona(creator=persona.creator.external_id, key=persona.key)

        assert found == persona

    def test_an_unknown_one_is_not_found(self) -> None:
        with pytest.raises(PersonaNotFound):
            get_persona(creator=make_persona().creator.external_id, key="nobody")


@pytest.mark.django_db
class TestProfiles:
    def test_there_is_none_at_first(self) -> None:
        assert find_profile(make_persona().pk) is None

    def test_the_newest_version_is_in_force_and_the_older_stay(self) -> None:
        persona = make_persona()
        for background in ("住在杭州", "住在上海"):
            put_profile(persona.pk, ProfileForm(background=background), by=BY)

        found = find_profile(persona.pk)

        assert found is not None
        assert (found.version, found.background) == (2, "住在上海")
        assert persona.profiles.count() == 2

    def test_a_relationship_tells_the_version_in_force(self) -> None:
        ann = make_relationship()
        assert get_relationship(ann.id).profile_version == 0
        assert get_profile(ann.persona_id, version=0) is None

        for voice in ("温和", "活泼"):
            put_profile(ann.persona_id, ProfileForm(voice=voice), by=BY)

        version = get_relationship(ann.id).profile_version
        profile = get_profile(ann.persona_id, version=version)
        assert version == 2
        assert profile is not None
        assert profile.voice == "活泼"

    def test_its_texts_are_clean(self) -> None:
        form = ProfileForm("我\x00在", "轻\u202e声", ("不\x00谈钱",), ("在\ud83d听",))

        profile = put_profile(make_persona().pk, form, by=BY)

        assert (profile.background, profile.voice) == ("我在", "轻声")
        assert (profile.taboos, profile.standard_lines) == (["不谈钱"], ["在听"])

    def test_it_has_its_audit_entry_without_the_texts(self) -> None:
        persona = make_persona()

        put_profile(persona.pk, ProfileForm(background="暗号七"), by=BY)

        (deed,) = list_deeds("persona", persona.pk)
        assert deed.action == "persona.profile_put"
        assert "暗号" not in str(vars(deed))

    def test_an_unknown_persona_is_not_found(self) -> None:
        with pytest.raises(PersonaNotFound):
            put_profile(uuid4(), ProfileForm(), by=BY)


@pytest.mark.django_db
class TestUsers:
    def test_it_keeps_what_it_is_told(self) -> None:
        ann = make_relationship()

        put_user(
            ann.id,
            UserForm("adult", "en", "Europe/Berlin", "阿\x00澈"),
            by=BY,
        )

        told = get_relationship(ann.id)
        facet = UserFacet.objects.get(global_user=ann.user_id)
        assert (told.age_band, told.time_zone) == ("adult", "Europe/Berlin")
        assert facet.nickname == "阿澈"

    def test_it_keeps_no_number_in_a_nickname(self) -> None:
        ann = make_relationship()

        put_user(ann.id, UserForm(nickname="阿澈13812345678"), by=BY)

        facet = UserFacet.objects.get(global_user=ann.user_id)
        assert facet.nickname == "阿澈[手机号]"

    def test_it_leaves_what_it_is_not_told(self) -> None:
        ann = make_relationship(age_band="adult", time_zone="Asia/Tokyo")

        put_user(ann.id, UserForm(locale="en"), by=BY)

        told = get_relationship(ann.id)
        assert (told.age_band, told.time_zone) == ("adult", "Asia/Tokyo")

    def test_a_nickname_is_of_one_facet(self) -> None:
        ann = make_relationship()
        at_work = make_relationship(user=ann.user_external_id, facet="work")

        put_user(at_work.id, UserForm(nickname="陈工"), by=BY)

        names = UserFacet.objects.filter(global_user=ann.user_id)
        assert dict(names.values_list("key", "nickname")) == {
            "default": "", "work": "陈工",
        }  # fmt: skip

    def test_its_audit_entry_names_the_fields_alone(self) -> None:
        ann = make_relationship()

        put_user(ann.id, UserForm(nickname="阿澈", age_band="adult"), by=BY)

        (deed,) = list_deeds("user", ann.user_id)
        assert deed.field_names == ["age_band", "nickname"]
        assert "阿澈" not in str(vars(deed))

    @pytest.mark.parametrize(
        "zone", ["", "Mars/Base", "../etc/passwd", "asia/shanghai"]
    )
    def test_it_refuses_a_zone_that_is_none(self, zone: str) -> None:
        ann = make_relationship()

        with pytest.raises(InvalidTimeZone):
            put_user(ann.id, UserForm(time_zone=zone), by=BY)

        assert get_relationship(ann.id).time_zone == "Asia/Shanghai"

    def test_an_unknown_relationship_is_not_found(self) -> None:
        with pytest.raises(RelationshipNotFound):
            put_user(uuid4(), UserForm(age_band="adult"), by=BY)


@pytest.mark.usefixtures("real_commits")
class TestAtOnce:
    def test_parallel_first_puts_make_one_persona(self) -> None:
        form = PersonaForm(new_name("creator"), "night", "月影")

        made = run_parallel(10, lambda _: put_persona(form, by=BY))

        assert len({persona.pk for persona in made}) == 1
        assert Creator.objects.filter(external_id=form.creator).count() == 1

    def test_parallel_profiles_are_numbered_without_a_gap(self) -> None:
        persona = make_persona()

        def put(number: int) -> Any:
            return put_profile(persona.pk, ProfileForm(voice=str(number)), by=BY)

        run_parallel(12, put)

        rows = CreatorPersonaProfile.objects.filter(persona=persona)
        versions = list(rows.order_by("version").values_list("version", flat=True))
        assert versions == list(range(1, 13))


@pytest.mark.django_db
class TestSyntheticUsers:
    def test_it_makes_one_once(self) -> None:
        name = new_name("user")

        made = [mark_synthetic(name, by=BY), mark_synthetic(name, by=BY)]

        user = GlobalUser.objects.get(external_id=name)
        (deed,) = list_deeds("user", user.pk)
        assert (made, user.is_synthetic) == ([True, True], True)
        assert (deed.action, deed.actor) == ("user.made_synthetic", BY)

    def test_a_relationship_tells_that_its_user_is_one(self) -> None:
        name = new_name("user")
        mark_synthetic(name, by=BY)

        assert make_relationship(user=name).is_synthetic
        assert not make_relationship().is_synthetic

    def test_a_real_user_never_becomes_one(self) -> None:
        ann = make_relationship()

        made = mark_synthetic(ann.user_external_id, by=BY)

        assert not made
        assert not get_relationship(ann.id).is_synthetic
        assert list_deeds("user", ann.user_id) == []

    @pytest.mark.parametrize("name", ["", " ", "a\x00b", "x" * 201])
    def test_it_refuses_bad_names(self, name: str) -> None:
        with pytest.raises(InvalidIdentifier):
            mark_synthetic(name, by=BY)
