"""Chinese time words: which stretch of time a sentence means.

Owns the rules that turn 昨晚 or 下周六 into windows of the user's own clock, for past
questions and for messages that point either way. Owns no meaning of 上次 ("last
time"): what that refers to depends on what is remembered, so recall answers it.

>>> from datetime import datetime
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> [window] = find_windows("上周三我心情怎么样", now=now, direction=Direction.PAST)
>>> window.words, window.start.date().isoformat()
('上周三', '2026-11-25')
"""

from memsys.kernel.text.timewords.scan import find_windows
from memsys.kernel.text.timewords.window import Direction, Window

__all__ = ["Direction", "Window", "find_windows"]
