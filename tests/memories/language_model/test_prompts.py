"""Instructions by version, and the schema that goes with them."""

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from memories.language_model.answers import parse_answer
from memories.language_model.attributes import find_attribute, list_attributes
from memories.language_model.prompts import instructions, list_versions
from memories.language_model.schema import StatedFact, json_schema
from memsys.chaos.troubles import example_of
from memsys.kernel.text.budget import count_tokens
from tests.memories.language_model.chats import chat, merged_text

VERSIONS = list_versions()


@pytest.mark.parametrize("version", VERSIONS)
class TestEachVersion:
    def test_it_names_each_field_and_each_kind(self, version: str) -> None:
        text = instructions(version)
        kinds = StatedFact.model_json_schema()["properties"]["kind"]["enum"]

        assert [w for w in (*StatedFact.model_fields, *kinds) if w not in text] == []

    def test_it_names_each_attribute(self, version: str) -> None:
        text = instructions(version)

        assert [name for name in list_attributes() if name not in text] == []

    def test_its_example_has_the_form_that_it_asks_for(self, version: str) -> None:
        findings = parse_answer(example_of(instructions(version)))

        assert len(findings.facts) == 1
        assert findings.rejected == (1,)

    def test_its_example_cannot_become_a_memory(self, version: str) -> None:
        chats = chat("我从小就受不了香菜，朋友倒是爱得很", "ai:我也不碰香菜")

        result = merged_text(chats, example_of(instructions(version)))

        assert result.facts == ()
        assert result.refused == {"not-said": 1}

    def test_it_leaves_room_for_the_session(self, version: str) -> None:
        assert count_tokens(instructions(version)) < 2000

    def test_its_name_fits_the_column(self, version: str) -> None:
        assert len(version) <= 20


class TestVersions:
    def test_the_one_that_is_set_is_there(self) -> None:
        assert settings.LLM_PROMPT_VERSION in VERSIONS

    @pytest.mark.parametrize("version", ["", "extraction_0", "../prompts/extraction_1"])
    def test_another_is_refused(self, version: str) -> None:
        with pytest.raises(ImproperlyConfigured):
            instructions(version)


class TestSchema:
    def test_every_field_is_required_and_no_other_allowed(self) -> None:
        fact = json_schema()["$defs"]["StatedFact"]

        assert fact["required"] == list(StatedFact.model_fields)
        assert fact["additionalProperties"] is False
        assert json_schema()["required"] == ["facts", "rejected"]

    def test_it_holds_only_words_that_endpoints_know(self) -> None:
        text = str(json_schema())

        assert "maxLength" not in text
        assert "default" not in text
        assert "title" not in text


class TestAttributes:
    @pytest.mark.parametrize(
        ("about", "name"),
        [
            ("city", "city"),
            ("城市", "city"),
            ("职业", "job"),
            ("pet:猫", "pet"),
            ("宠物：猫", "pet"),
            ("車", "other"),
            ("", "other"),
        ],
    )
    def test_they_are_found_by_the_names_that_models_use(
        self, about: str, name: str
    ) -> None:
        assert find_attribute(about)[0] == name
