"""The staff's database role, for tables that are not content."""

import pytest
from django.db import DatabaseError, connection, transaction

from memories.models import Memory
from memsys.kernel.audit.models import AuditHead
from memsys.kernel.scope import Purpose, ScopeConflict, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.memories import make_memory


def current_role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


def count_memories() -> int | None:
    """Return how many memories can be read, or None when reading them is an error."""
    try:
        with transaction.atomic():
            return Memory.objects.count()
    except DatabaseError:
        return None


def test_it_reads_the_audit_inside(db: None):
    with staff_role():
        assert AuditHead.objects.count() >= 0


def test_it_leaves_the_role_at_the_end(db: None):
    with staff_role():
        inside = current_role()

    assert (inside, current_role()) == ("memsys_staff", "memsys_app")


def test_it_leaves_the_role_after_an_error(db: None):
    with pytest.raises(ZeroDivisionError), staff_role():
        raise ZeroDivisionError

    assert current_role() == "memsys_app"


def test_it_opens_no_content(ann):
    make_memory(ann, "我养了猫")

    with staff_role():
        seen = count_memories()

    assert seen in (None, 0)


def test_it_is_not_opened_inside_a_scope(ann):
    with (
        access_scope(Purpose.DESK, relationship=ann.id),
        pytest.raises(ScopeConflict),
        staff_role(),
    ):
        pass


def test_it_holds_no_scope_inside(ann):
    with (
        staff_role(),
        pytest.raises(RuntimeError),
        access_scope(Purpose.DESK, relationship=ann.id),
    ):
        pass


@pytest.mark.usefixtures("real_commits")
def test_it_leaves_no_role_on_a_connection_that_goes_on():
    with staff_role():
        pass

    assert current_role() == "memsys_app"
