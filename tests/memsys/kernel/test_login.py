"""The start-up check of the login that serves."""

import uuid
from collections.abc import Callable, Iterator

import pytest
from psycopg import sql

from memsys.kernel.scope.errors import UnsafeLogin
from memsys.kernel.scope.login import check_login
from tests.memsys.kernel.conftest import SuperuserConnection

SignIn = Callable[[str], None]


@pytest.fixture
def role(superuser: SuperuserConnection) -> Iterator[sql.Identifier]:
    """A login that may do nothing yet."""
    name = sql.Identifier(f"test_{uuid.uuid4().hex}")
    superuser.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
    yield name
    superuser.execute(sql.SQL("DROP OWNED BY {}").format(name))
    superuser.execute(sql.SQL("DROP ROLE {}").format(name))


def test_it_takes_the_login_that_preparation_makes(serve_as: SignIn):
    serve_as("memsys_app")

    check_login()


@pytest.mark.parametrize(
    ("login", "fault"),
    [
        ("postgres", "is a superuser"),
        ("memsys_owner", "owns tables"),
        ("memsys_maintenance", "has BYPASSRLS"),
    ],
)
def test_it_refuses_a_login_that_no_policy_binds(
    serve_as: SignIn, login: str, fault: str
):
    """Acceptance row C14."""
    serve_as(login)

    with pytest.raises(UnsafeLogin, match=fault):
        check_login()


FAULTS = {
    "ALTER ROLE {} BYPASSRLS": "has BYPASSRLS",
    "ALTER ROLE {} SUPERUSER": "is a superuser",
    "GRANT memsys_staff TO {}": "inherits memsys_staff",
    "GRANT memsys_portal TO {} WITH INHERIT TRUE": "inherits memsys_portal",
    "GRANT memsys_maintenance TO {}": "inherits memsys_maintenance",
    "GRANT memsys_owner TO {}": "owns tables",
    "GRANT memsys_maintenance TO {} WITH INHERIT FALSE": "become memsys_maintenance",
    "GRANT memsys_owner TO {} WITH INHERIT FALSE": "become memsys_owner",
    "GRANT memsys_audit TO {} WITH INHERIT FALSE": "become memsys_audit",
    "GRANT postgres TO {} WITH INHERIT FALSE": "become postgres",
    "GRANT TRUNCATE ON memories_memory TO {}": "may truncate content",
}


@pytest.mark.parametrize("grant", FAULTS)
def test_it_refuses_a_login_with_a_right_too_many(
    serve_as: SignIn,
    superuser: SuperuserConnection,
    role: sql.Identifier,
    grant: str,
):
    """Acceptance row C14."""
    superuser.execute(sql.SQL(grant).format(role))
    serve_as(role._obj[0])

    with pytest.raises(UnsafeLogin, match=FAULTS[grant]):
        check_login()


def test_it_takes_another_login_with_the_same_rights(
    serve_as: SignIn, superuser: SuperuserConnection, role: sql.Identifier
):
    superuser.execute(
        sql.SQL(
            "GRANT memsys_staff, memsys_portal TO {} WITH INHERIT FALSE, SET TRUE"
        ).format(role)
    )
    serve_as(role._obj[0])

    check_login()


def test_it_names_every_fault_and_the_way_out(serve_as: SignIn):
    serve_as("postgres")

    with pytest.raises(UnsafeLogin) as refused:
        check_login()

    assert "may truncate content" in str(refused.value)
    assert "manage.py prepare_database" in str(refused.value)
