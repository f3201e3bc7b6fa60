"""Personas and what they are like."""

from rest_framework.request import Request
from rest_framework.response import Response

from identity.services import find_profile, put_persona, put_profile
from memsys.api.idempotency import Answer, answer_once
from memsys.api.reach import check_creator, get_persona, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.identity import (
    PersonaIdOut,
    PersonaIn,
    PersonaWithProfileOut,
    ProfileIn,
    ProfileVersionOut,
)
from memsys.api.views.base import ApiView

_PERSONA = {
    "creator": "c-1",
    "key": "night",
    "display_name": "月影",
    "relationship_kind": "friend",
}
_PROFILE = {
    "background": "住在杭州，开一家小书店。",
    "voice": "温和，句子短。",
    "taboos": ["不谈前任"],
    "standard_lines": ["今天过得怎么样？"],
}


class PersonasView(ApiView):
    """The personas of creators."""

    scopes = {"PUT": Scope.PERSONA_WRITE}

    @describe(
        summary="Make a persona, or change its name and kind",
        request=PersonaIn,
        answer={200: PersonaIdOut},
        examples=[request_example("A persona", _PERSONA)],
        is_idempotent=True,
    )
    def put(self, request: Request) -> Response:
        form = PersonaIn.read(request.data, now=self.now)
        check_creator(self.caller, form.creator)

        def put() -> Answer:
            persona = put_persona(form, by=self.actor)
            return Answer(PersonaIdOut(persona).data)

        return answer_once(request, put)


class PersonaView(ApiView):
    """One persona."""

    scopes = {"GET": Scope.RELATIONSHIP_ROUTE}

    @describe(
        summary="Show a persona and its profile",
        answer={200: PersonaWithProfileOut},
        ids=["persona_id"],
    )
    def get(self, request: Request, persona_id: str) -> Response:
        persona = get_persona(self.caller, parse_id(persona_id))
        shown = {**vars(persona), "creator": persona.creator}
        profile = find_profile(persona.pk)
        return Response(PersonaWithProfileOut(shown | {"profile": profile}).data)


class PersonaProfileView(ApiView):
    """What a persona is like; all of its relationships read it at once."""

    scopes = {"PUT": Scope.PERSONA_WRITE}

    @describe(
        summary="Replace a persona's profile by a new version",
        request=ProfileIn,
        answer={200: ProfileVersionOut},
        ids=["persona_id"],
        examples=[request_example("A profile", _PROFILE)],
        is_idempotent=True,
    )
    def put(self, request: Request, persona_id: str) -> Response:
        form = ProfileIn.read(request.data, now=self.now)
        persona = get_persona(self.caller, parse_id(persona_id))

        def put() -> Answer:
            profile = put_profile(persona.pk, form, by=self.actor)
            shown = {"persona": persona.pk, "version": profile.version}
            return Answer(ProfileVersionOut(shown).data)

        return answer_once(request, put)
