"""From names to a relationship: made once, found in one query, refused when bad."""

from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from identity.errors import PersonaNotFound, RelationshipNotFound
from identity.models import CreatorPersona, GlobalUser, Relationship, UserFacet
from identity.resolution import Address, get_relationship, resolve
from memsys.kernel.sharding.ids import bucket_of, bucket_of_user
from memsys.kernel.text.clean import InvalidIdentifier
from tests.factories.identity import make_persona, make_relationship, new_name
from tests.parallel import run_parallel


def address_of(persona: CreatorPersona, user: str | None = None) -> Address:
    return Address(
        user or new_name("user"), "default", persona.creator.external_id, persona.key
    )


@pytest.mark.django_db
class TestResolving:
    def test_it_makes_a_relationship_with_all_that_it_stands_on(self) -> None:
        persona = make_persona()
        address = address_of(persona)

        ref = resolve(address)

        assert ref.user_external_id == address.user
        assert (ref.persona_id, ref.facet_key) == (persona.pk, "default")
        assert (ref.status, ref.custody) == ("active", "creator_pool")
        assert (ref.memory_version, ref.age_band) == (0, "unknown")

    def test_it_puts_all_rows_of_a_user_into_the_users_bucket(self) -> None:
        address = address_of(make_persona())

        ref = resolve(address)

        facet = UserFacet.objects.get(global_user=ref.user_id)
        buckets = {bucket_of(pk) for pk in (ref.id, ref.user_id, facet.pk)}
        assert buckets == {bucket_of_user(address.user)}

    def test_it_finds_a_known_one_in_one_query(self) -> None:
        address = address_of(make_persona())
        made = resolve(address)

        with CaptureQueriesContext(connection) as captured:
            found = resolve(address)

        assert found == made
        assert len(captured) == 1
        assert "shard" in captured.captured_queries[0]["sql"]

    def test_each_facet_and_each_persona_has_its_own(self) -> None:
        persona = make_persona()
        address = address_of(persona)
        other_persona = make_persona(creator=persona.creator.external_id)

        refs = [
            resolve(address),
            resolve(replace(address, facet="work")),
            resolve(replace(address, persona=other_persona.key)),
        ]

        assert len({ref.id for ref in refs}) == 3
        assert len({ref.user_id for ref in refs}) == 1

    def test_the_same_key_of_another_creator_is_another_persona(self) -> None:
        night = make_persona(key="night")
        other = make_persona(key="night")
        user = new_name("user")

        refs = [resolve(address_of(one, user)) for one in (night, other)]

        assert [ref.persona_id for ref in refs] == [night.pk, other.pk]

    def test_names_differ_by_case_and_by_width(self) -> None:
        persona = make_persona()
        name = new_name("user")

        refs = [resolve(address_of(persona, n)) for n in (name, name.upper())]

        assert refs[0].user_id != refs[1].user_id

    def test_an_unknown_persona_makes_nothing(self) -> None:
        address = replace(address_of(make_persona()), persona="nobody")

        with pytest.raises(PersonaNotFound):
            resolve(address)

        assert not GlobalUser.objects.filter(external_id=address.user).exists()

    def test_an_unknown_id_is_not_found(self) -> None:
        with pytest.raises(RelationshipNotFound):
            get_relationship(uuid4())

    def test_an_id_gives_what_its_names_give(self) -> None:
        ann = make_relationship()

        assert get_relationship(ann.id) == ann


@pytest.mark.parametrize("field", ["user", "facet", "creator", "persona"])
@pytest.mark.parametrize(
    "name",
    ["", " ", "\t", "\u3000", "a\u0000b", "x" * 201, "\ud83d", "a\u200bb", " a", "a\n"],
)
def test_a_bad_name_is_refused_and_not_repeated(field: str, name: str) -> None:
    """Acceptance row 9."""
    names = {"user": "u", "facet": "f", "creator": "c", "persona": "p"}

    with pytest.raises(InvalidIdentifier) as caught:
        Address(**names | {field: name})

    assert caught.value.field == field
    assert "x" * 201 not in str(caught.value)


def test_a_name_of_two_hundred_characters_is_taken() -> None:
    assert Address("月" * 200, "f", "c", "p").user == "月" * 200


@pytest.mark.usefixtures("real_commits")
class TestFirstContacts:
    def test_fifty_at_once_make_one_of_each(self) -> None:
        address = address_of(make_persona())

        refs = run_parallel(50, lambda _: resolve(address))

        (ref,) = set(refs)
        assert GlobalUser.objects.filter(external_id=address.user).count() == 1
        assert UserFacet.objects.filter(global_user=ref.user_id).count() == 1
        assert Relationship.objects.of_user(ref.user_id).count() == 1

    def test_those_of_one_user_with_many_personas_do_not_get_in_each_others_way(
        self,
    ) -> None:
        creator = new_name("creator")
        personas = [make_persona(creator=creator) for _ in range(10)]
        user = new_name("user")

        refs = run_parallel(
            30, lambda number: resolve(address_of(personas[number % 10], user))
        )

        assert len({ref.id for ref in refs}) == 10
        assert len({ref.user_id for ref in refs}) == 1
