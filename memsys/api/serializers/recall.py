"""Questions to memory and its answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from memories.types import AuthorKind
from memsys.api.reach import Target
from memsys.api.serializers.base import StrictSerializer, fault
from memsys.api.serializers.fields import (
    ChoiceField,
    IntegerField,
    ListField,
    TextField,
    TimeField,
)
from memsys.api.serializers.output import TimeOut
from memsys.api.serializers.targets import TargetIn
from recall.changes import SCENARIOS
from recall.context_types import Form
from recall.services import ContextRequest

MAX_QUERY_CHARS = 8000
MAX_TURN_CHARS = 8000
MAX_TURNS = 50
# The question is what the user said last, without an answer in between.
MAX_ASKED_TURNS = 3


class TurnIn(StrictSerializer):
    """One of the last messages, as the chat service has it."""

    author_kind = ChoiceField(choices=AuthorKind.values)
    text = TextField(max_chars=MAX_TURN_CHARS, is_blank_allowed=True)


@dataclass(frozen=True)
class ContextForm:
    """Which context is asked for, and of which relationship."""

    target: Target
    request: ContextRequest


class ContextIn(TargetIn):
    """What the chat service asks before the next reply."""

    query = TextField(max_chars=MAX_QUERY_CHARS, is_blank_allowed=True, required=False)
    messages = ListField(child=TurnIn(), least=1, most=MAX_TURNS, required=False)
    scenario = ChoiceField(choices=SCENARIOS, required=False)
    token_budget = IntegerField(low=50, high=100_000, default=2000)
    valid_at = TimeField(required=False)
    known_at = TimeField(required=False)
    format = ChoiceField(choices=list(Form), default=Form.TEXT.value)

    def validate(self, attrs: dict[str, Any]) -> Any:
        attrs = super().validate(attrs)
        if ("query" in attrs) == ("messages" in attrs):
            raise fault("query", "ambiguous", "either query or messages")
        request = ContextRequest(
            query=attrs["query"] if "query" in attrs else asked_in(attrs["messages"]),
            scenario=attrs.get("scenario", ""),
            token_budget=attrs["token_budget"],
            valid_at=attrs.get("valid_at"),
            known_at=attrs.get("known_at"),
            form=Form(attrs["format"]),
        )
        return ContextForm(attrs["target"], request)


def asked_in(turns: Sequence[dict[str, str]]) -> str:
    """Return what the last messages ask: what the user said last, oldest first.

    >>> asked_in([{"author_kind": "user", "text": "在吗"},
    ...           {"author_kind": "ai", "text": "在"},
    ...           {"author_kind": "user", "text": "周末有什么安排"}])
    '周末有什么安排'
    """
    asked: list[str] = []
    for turn in reversed(turns):
        if turn["author_kind"] == AuthorKind.USER:
            asked.append(turn["text"])
        elif asked:
            break
    return "\n".join(reversed(asked[:MAX_ASKED_TURNS]))


@dataclass(frozen=True)
class SearchForm:
    """A search, and how many hits are wanted."""

    request: ContextRequest
    limit: int


class SearchIn(StrictSerializer):
    """A search in one relationship."""

    query = TextField(max_chars=MAX_QUERY_CHARS)
    limit = IntegerField(low=1, high=50, default=10)
    valid_at = TimeField(required=False)
    known_at = TimeField(required=False)

    def validate(self, attrs: dict[str, Any]) -> SearchForm:
        limit = attrs.pop("limit")
        return SearchForm(ContextRequest(**attrs), limit)


class WindowOut(serializers.Serializer[Any]):
    """The stretch of time that the question named; its end is exclusive."""

    words = serializers.CharField()
    start = TimeOut()
    end = TimeOut()


class PartsOut(serializers.Serializer[Any]):
    """Where a score comes from; `cosine` is null without vectors."""

    bm25 = serializers.FloatField()
    cosine = serializers.FloatField(allow_null=True)
    lexical = serializers.FloatField()
    vector = serializers.FloatField()
    recency = serializers.FloatField()
    importance = serializers.FloatField()
    date = serializers.FloatField()


class WhyOut(serializers.Serializer[Any]):
    """A memory that is in the answer, and why."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    reason = serializers.CharField()
    score = serializers.FloatField()
    parts = PartsOut()
    matched_words = serializers.ListField(child=serializers.CharField())
    window = WindowOut(allow_null=True)
    evidence = serializers.ListField(child=serializers.UUIDField())


class HitOut(WhyOut):
    """A hit, with what it says."""

    text = serializers.CharField()
    subject = serializers.CharField()
    dimension = serializers.CharField()
    polarity = serializers.IntegerField()
    occurred_at = TimeOut()
    valid_from = TimeOut()
    valid_to = TimeOut(allow_null=True)
    due_at = TimeOut(allow_null=True)
    due_until = TimeOut(allow_null=True)


class SearchOut(serializers.Serializer[Any]):
    """Hits, the best first; `degraded` names the parts that did not answer."""

    items = HitOut(many=True)
    degraded = serializers.ListField(child=serializers.CharField())


class LineOut(serializers.Serializer[Any]):
    """One line of a section; `memory` is null where it comes from none."""

    text = serializers.CharField()
    memory = serializers.UUIDField(allow_null=True)
    is_flagged = serializers.BooleanField()


class SectionOut(serializers.Serializer[Any]):
    name = serializers.CharField()
    lines = LineOut(many=True)


class ChatMessageOut(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.CharField()


class SkippedOut(serializers.Serializer[Any]):
    """A line that stayed out for want of room."""

    section = serializers.CharField()
    memory = serializers.UUIDField(allow_null=True)
    reason = serializers.CharField()


class ReleasedOut(serializers.Serializer[Any]):
    """A profile field that policy and consent release into this relationship now."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    value = serializers.CharField()


class DisclosureOut(serializers.Serializer[Any]):
    """What must be told about AI, and whether a reminder is due.

    `reason` is never-told, two-hours or none. What is shown is told back, so that the
    two hours begin again.
    """

    ai = serializers.BooleanField(source="is_ai_involved")
    disclosed_at = TimeOut(allow_null=True)
    must_remind = serializers.BooleanField()
    reason = serializers.CharField()
    continuous_seconds = serializers.IntegerField()


class ContextOut(serializers.Serializer[Any]):
    """The context of the next reply; `prompt` is ready to inject.

    `messages` is for a chat-completions call and empty unless the format asks for it;
    then `prompt` is its first message. `tokens` counts all that is to be injected.
    `released` are fields of the user's profile; what is commercial is in no prompt.
    `withheld` says by code why something that is kept is not here.
    """

    relationship = serializers.UUIDField()
    prompt = serializers.CharField(source="context.assembled.prompt")
    messages = ChatMessageOut(many=True, source="context.assembled.messages")
    tokens = serializers.IntegerField(source="context.assembled.tokens")
    sections = SectionOut(many=True, source="context.assembled.sections")
    used = WhyOut(many=True, source="context.used")
    skipped = SkippedOut(many=True, source="context.assembled.skipped")
    released = ReleasedOut(many=True, source="context.released.fields")
    withheld = serializers.ListField(
        child=serializers.CharField(), source="context.withheld"
    )
    degraded = serializers.ListField(
        child=serializers.CharField(), source="context.degraded"
    )
    disclosure = DisclosureOut(source="context.disclosure")
    memory_version = serializers.IntegerField(source="context.memory_version")
    timing_ms = serializers.DictField(
        child=serializers.FloatField(), source="context.timing_ms"
    )
