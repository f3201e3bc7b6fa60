"""Pages of sessions and their work, messages, memories and what erasing leaves.

>>> admin.site.is_registered(Memory)  # doctest: +SKIP
True
"""

from memories.admin import memories, messages, sessions

__all__ = ["memories", "messages", "sessions"]
