"""Every table says what an erasure does to it; one that does not fails the suite."""

import pytest
from django.apps import apps
from django.db import connections, models

from consent.erasures import ERASED, KEPT, OTHERS, REASONS
from consent.erasures.steps import list_steps

STEPS = {step.name for step in list_steps()}


def test_it_sorts_each_table_into_one_disposition() -> None:
    sorted_in = [*ERASED, *KEPT, *OTHERS]

    assert sorted(sorted_in) == sorted(set(sorted_in))


@pytest.mark.django_db(databases=["default"])
def test_it_knows_every_table_that_there_is(django_db_setup: None) -> None:
    """Acceptance row C6: row counts are taken of every table of a registry."""
    with connections["default"].cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'm') "
            "AND relnamespace = 'public'::regnamespace"
        )
        tables = {name for (name,) in cursor.fetchall()}

    assert tables == {*ERASED, *KEPT, *OTHERS}


def test_it_knows_the_table_of_every_model() -> None:
    models = apps.get_models(include_auto_created=True)
    tables = {model._meta.db_table for model in models if model._meta.managed}

    assert tables <= {*ERASED, *KEPT, *OTHERS}


def test_it_names_steps_that_there_are() -> None:
    assert set(ERASED.values()) <= STEPS


def test_it_gives_a_reason_for_all_that_stays() -> None:
    assert set(KEPT.values()) <= set(REASONS)


OF_USERS = ("global_user", "relationship", "subject")


def list_models() -> list[type[models.Model]]:
    return [one for one in apps.get_models() if hasattr(one, "Privacy")]


def test_what_belongs_to_a_user_is_erased_or_kept_for_a_reason() -> None:
    belongs = {
        model._meta.db_table
        for model in list_models()
        for field in model._meta.concrete_fields
        if field.name in OF_USERS
    }

    assert belongs & OTHERS == set()


def test_no_words_of_a_user_are_in_what_is_kept() -> None:
    """What is classed as sensitive goes, whatever the reason for keeping the row."""
    sensitive = {
        model._meta.db_table for model in list_models() if model.Privacy.sensitive
    }

    assert sensitive & set(KEPT) == set()
