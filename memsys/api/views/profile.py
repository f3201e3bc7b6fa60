"""What the platform knows of a user, what of it is released into a relationship, and when.

Only what policy and consent release now is ever shown; the values themselves are
written here and read nowhere else.
"""

from rest_framework.request import Request
from rest_framework.response import Response

from consent.gate import list_released
from consent.profiles import put_values
from consent.reads import ReadAction, list_receipts, note_read
from identity.resolution import get_user_id
from identity.scopes import service_scope
from memsys.api.idempotency import Answer, answer_once
from memsys.api.pagination import Position
from memsys.api.reach import (
    Target,
    check_all_creators,
    find_relationship,
    open_relationship,
    parse_id,
)
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.memories import PageIn
from memsys.api.serializers.profile import (
    ReleasedProfileOut,
    ReleaseReceiptPageOut,
    UserProfileForm,
    UserProfileIn,
    UserProfileOut,
)
from memsys.api.views.base import ApiView
from memsys.api.views.pages import answer_page

_VALUES = {"user": "u-1", "fields": {"region": "浙江杭州", "contact_hours": None}}


class UserProfileView(ApiView):
    """A user's profile over all relationships; a key for some creators finds nobody."""

    scopes = {"PUT": Scope.PROFILE_WRITE}

    @describe(
        summary="Keep values of a user's profile, or remove them",
        request=UserProfileIn,
        answer={200: UserProfileOut},
        examples=[request_example("One value, and one removed", _VALUES)],
        is_idempotent=True,
    )
    def put(self, request: Request) -> Response:
        form: UserProfileForm = UserProfileIn.read(request.data, now=self.now)
        check_all_creators(self.caller)
        user = get_user_id(form.user)

        def put() -> Answer:
            keys = put_values(form.user, form.fields, by=self.actor, now=self.now)
            return Answer(UserProfileOut({"user": user, "keys": keys}).data)

        return answer_once(request, put, user=user)


class RelationshipProfileView(ApiView):
    """What of the user's profile is released into one relationship."""

    scopes = {"GET": Scope.PROFILE_READ_RELEASED}

    @describe(
        summary="Show what policy and consent release into the relationship now",
        answer={200: ReleasedProfileOut},
        ids=["relationship_id"],
    )
    def get(self, request: Request, relationship_id: str) -> Response:
        target = Target(relationship=parse_id(relationship_id))
        relationship = open_relationship(self.caller, target)
        with service_scope(relationship, is_read=True):
            released = list_released(relationship, now=self.now)
            note_read(
                relationship,
                ReadAction.PROFILE,
                actor=self.actor,
                releases=released,
                now=self.now,
            )
        shown = {
            "relationship": relationship.id,
            "items": released.fields,
            "withheld": released.withheld,
        }
        return Response(ReleasedProfileOut(shown).data)


class ReleasesView(ApiView):
    """The receipts of what was released into a relationship; closed ones have them too."""

    scopes = {"GET": Scope.RELEASE_READ}

    @describe(
        summary="List what was released into the relationship, when and by which right",
        query=PageIn,
        answer={200: ReleaseReceiptPageOut},
        ids=["relationship_id"],
    )
    def get(self, request: Request, relationship_id: str) -> Response:
        query = PageIn.read_query(request.query_params, now=self.now)
        target = Target(relationship=parse_id(relationship_id))
        relationship = find_relationship(self.caller, target)
        return answer_page(
            self,
            query,
            relationship,
            fetch=lambda after, limit: list_receipts(
                relationship,
                after=(after.at, after.id) if after is not None else None,
                limit=limit,
            ),
            mark=lambda row: Position(row.released_at, row.id),
            output=ReleaseReceiptPageOut,
        )
