"""Rows for the desk's pages, the pages' addresses, and the audit that looks leave.

>>> make_shown_rows(ann)[Memory].page  # doctest: +SKIP
'/desk/memories/memory/…/change/?relationship=…'
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from consent.models import (
    AccessBatch,
    ChangeRequest,
    ErasureRun,
    ExportRun,
    LegalHold,
    PolicyVersion,
    ProfileField,
    ReleasePolicy,
    SubjectRequest,
)
from identity.models import (
    Creator,
    CreatorPersona,
    CreatorPersonaProfile,
    CustodyTransfer,
    GlobalUser,
    Relationship,
    UserFacet,
)
from identity.types import RelationshipRef
from memories.models import ChatSession, ModelAttempt
from memsys.api.models import IdempotencyRecord, ServiceKey
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.models import AuditEntry, AuditHead, AuditPayload
from memsys.kernel.pages.content import ContentAdmin
from memsys.kernel.pages.read_only import ReadOnlyAdmin
from memsys.kernel.scope.staff import staff_role
from recall.models import RecallPolicy
from tests.factories.api import make_bot
from tests.factories.content import list_content_models, make_row
from tests.factories.identity import new_name
from tests.factories.memories import make_session

MODELS = tuple(admin.site._registry)
READ_ONLY = tuple(
    model
    for model, page in admin.site._registry.items()
    if isinstance(page, ReadOnlyAdmin)
)
CONTENT = tuple(
    model
    for model, page in admin.site._registry.items()
    if isinstance(page, ContentAdmin)
)


def label_of(model: Any) -> str:
    """Return a model's name, for the names of tests."""
    return str(model._meta.label)


def list_address(model: Any) -> str:
    """Return the address of a model's list, without a relationship."""
    return f"/desk/{model._meta.app_label}/{model._meta.model_name}/"


@dataclass(frozen=True)
class Shown:
    """A row that the desk shows, and the relationship that it is read in, if any."""

    model: Any
    key: Any
    relationship: RelationshipRef | None

    @property
    def list(self) -> str:
        return list_address(self.model) + self.choice

    @property
    def path(self) -> str:
        return f"{list_address(self.model)}{self.key}/change/"

    @property
    def page(self) -> str:
        return self.path + self.choice

    @property
    def choice(self) -> str:
        return f"?relationship={self.relationship.id}" if self.relationship else ""

    def door(self, name: str) -> str:
        """Return the address of another of Django's pages of the row."""
        return f"{list_address(self.model)}{self.key}/{name}/{self.choice}"


def make_shown_rows(relationship: RelationshipRef) -> dict[Any, Shown]:
    """Make a row of each model that the desk shows, all about one relationship."""
    keys = {
        **_identity_keys(relationship),
        **_audit_keys(relationship),
        **_operation_keys(relationship),
        **make_governance(relationship),
    }
    content = {model: make_row(model, relationship).pk for model in CONTENT}
    return {model: Shown(model, key, None) for model, key in keys.items()} | {
        model: Shown(model, key, relationship) for model, key in content.items()
    }


def list_audit(**filters: Any) -> list[AuditEntry]:
    """Return audit entries, oldest first; the app's login may not read them."""
    with staff_role():
        return list(AuditEntry.objects.filter(**filters).order_by("pk"))


def _identity_keys(relationship: RelationshipRef) -> dict[Any, Any]:
    move = CustodyTransfer.objects.create(
        relationship_id=relationship.id,
        from_custody="creator_pool",
        to_custody="proxy_pool",
        actor="job:custody",
        reason_code="window-passed",
        moved_at=timezone.now(),
    )
    profile = CreatorPersonaProfile.objects.create(
        persona_id=relationship.persona_id, version=1, author="service:ab12"
    )
    facet = UserFacet.objects.get(global_user_id=relationship.user_id)
    return {
        GlobalUser: relationship.user_id,
        UserFacet: facet.pk,
        Creator: relationship.creator_id,
        CreatorPersona: relationship.persona_id,
        CreatorPersonaProfile: profile.pk,
        Relationship: relationship.id,
        CustodyTransfer: move.pk,
        ChatSession: make_session(relationship).pk,
        ModelAttempt: make_row(ModelAttempt, relationship).pk,
    }


def _audit_keys(relationship: RelationshipRef) -> dict[Any, Any]:
    action = new_name("tested")
    with transaction.atomic():
        record(
            Deed(
                "tests",
                action,
                "staff:0",
                subject=relationship.user_id,
                details={"said": "canary"},
            )
        )
    (entry,) = list_audit(action=action)
    return {AuditEntry: entry.pk, AuditHead: "tests", AuditPayload: entry.pk}


def _operation_keys(relationship: RelationshipRef) -> dict[Any, Any]:
    interval = IntervalSchedule.objects.create(every=5, period="minutes")
    task = PeriodicTask.objects.create(
        name=new_name("job"), task="tested", interval=interval
    )
    prefix = make_bot().key.prefix
    answer = IdempotencyRecord.objects.create(
        client=prefix,
        key=new_name("key"),
        request_digest=b"1" * 32,
        status_code=202,
        answer={"ids": []},
    )
    policy = RecallPolicy.objects.create(persona_id=relationship.persona_id)
    return {
        ServiceKey: prefix,
        IdempotencyRecord: answer.pk,
        RecallPolicy: policy.pk,
        PeriodicTask: task.pk,
        IntervalSchedule: interval.pk,
        CrontabSchedule: CrontabSchedule.objects.create(minute="0").pk,
        SolarSchedule: SolarSchedule.objects.create(
            event="sunset", latitude=31, longitude=121
        ).pk,
        ClockedSchedule: ClockedSchedule.objects.create(clocked_time=timezone.now()).pk,
        User: User.objects.create(username=new_name("person")).pk,
        Group: Group.objects.create(name=new_name("role")).pk,
    }


def make_governance(relationship: RelationshipRef, *, text: str = "") -> dict[Any, Any]:
    """Make a row of each table of consent that the desk lists, all with this text."""
    now, name = timezone.now(), new_name("n")
    of_user = {"global_user_id": relationship.user_id}
    of_both = of_user | {"relationship_id": relationship.id}
    field = ProfileField.objects.create(
        key=name, label=text or "Region", label_zh=text or "地区", data_class="stable",
        purpose=text, purpose_zh=text, allowed=[text],
    )  # fmt: skip
    rows = (
        SubjectRequest.objects.create(
            **of_both, number=(name[:12] + text)[:20], kind="access", received_at=now,
            received_by=text[:100] or "service:ab12", due_date=now.date(),
        ),
        ChangeRequest.objects.create(
            kind="hold_lift", object_ref=text, payload={"hold": str(relationship.id)},
            payload_hash="0" * 64, reason=text or "这里写明理由", requested_by=0,
            expires_at=now + timedelta(hours=72),
        ),
        ErasureRun.objects.create(
            **of_both, target="relationship", requested_by=text[:100] or "user:1",
            reason_code=text[-60:], requested_at=now, run_from=now + timedelta(hours=24),
            receipt_code=name, counts={text or "rows": 3}, stays=[{"code": text}],
        ),
        ExportRun.objects.create(
            **of_both, parts=["memories"], formats=["json"], for_staff=True,
            requested_by=text[:100] or "staff:0", reason_code=text[-60:], requested_at=now,
        ),
        LegalHold.objects.create(
            **of_both, reason_code=text[-60:], case_ref=text[:100],
            placed_by=text[:100] or "staff:0", placed_at=now,
        ),
        PolicyVersion.objects.create(
            document=name, number=1, locale="en", title=text, text=text,
            sha256="0" * 64, is_material=False, published_at=now,
        ),
        field,
        ReleasePolicy.objects.create(
            field=field, data_class="stable", purpose=text, assessment_ref=text[:100],
            proposed_by=1, proposed_at=now, approved_by=2, approved_at=now,
            expires_at=now + timedelta(days=30),
        ),
        AccessBatch.objects.create(
            rows=1, first_at=now, last_at=now, digest=b"1", sealed_at=now
        ),
    )  # fmt: skip
    return {type(row): row.pk for row in rows}


assert set(CONTENT) == set(list_content_models())


def newest_change() -> ChangeRequest:
    # Tests of what is committed leave theirs, which no one may delete.
    change = ChangeRequest.objects.order_by("requested_at", "id").last()
    assert change is not None
    return change
