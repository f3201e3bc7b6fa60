"""A scratch installation; how it ends is tested with the command that uses it."""

import pytest

from memsys.running.scratch import scratch_installation


def test_it_refuses_where_settings_name_other_servers() -> None:
    with (
        pytest.raises(RuntimeError, match="before any settings"),
        scratch_installation(),
    ):
        pass
