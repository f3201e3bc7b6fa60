"""What was kept too long is gone from every door at once, whatever was cached before."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from identity.types import RelationshipRef
from tests.factories.api import Bot
from tests.factories.memories import make_memory
from tests.factories.retention import sleep

LONG = timedelta(days=200)


def doors(bot: Bot, ann: RelationshipRef) -> dict[str, str]:
    """Return what each door that shows memories says."""
    one = f"/relationships/{ann.id}"
    answers: dict[str, Any] = {
        "context": bot.post("/context", {"relationship": str(ann.id), "query": "看海"}),
        "search": bot.post(f"{one}/search", {"query": "看海"}),
        "list": bot.get(f"{one}/memories"),
        "timeline": bot.get(f"{one}/timeline"),
    }
    for name, answer in answers.items():
        assert answer.status_code == 200, (name, answer.content)
    return {name: answer.content.decode() for name, answer in answers.items()}


def test_a_memory_is_gone_from_all_that_had_it_at_hand(
    bot: Bot, ann: RelationshipRef
) -> None:
    make_memory(ann, "喜欢看海")
    before = doors(bot, ann)

    sleep(ann, at=timezone.now() + LONG)

    assert [name for name, text in before.items() if "喜欢看海" not in text] == []
    after = doors(bot, ann)
    assert [name for name, text in after.items() if "喜欢看海" in text] == []
