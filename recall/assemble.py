"""The prompt: the lines that fit the budget, fenced into sections.

Owns what fits and the shape of the whole. Does not own wording (`wording`), escaping
(`fencing`) nor what was recalled. The budget holds for all that is returned, wrapper
included, by the tokenizer that is given: lines are counted one by one to choose, then
the whole is counted to be sure.

>>> assemble(Material(), budget=2000, now=now).tokens  # doctest: +SKIP
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from memsys.kernel.text.budget import count_tokens
from recall.context_types import (
    Assembled,
    ChatMessage,
    Form,
    Line,
    Material,
    Quota,
    Quotas,
    Section,
    SectionName,
    Skipped,
)
from recall.wording import HEADINGS, NOTICE, SHORT_NOTICE, write_lines

Counter = Callable[[str], int]

WRAPPER = "memory"
TOKENS_PER_MESSAGE = 4  # what a chat format adds around each message, and
TOKENS_PER_REPLY = 3  # around the reply that it asks for
MAX_NOTICE_SHARE = 0.4  # of the budget for the long notice, else the short one
SMALLEST_LINE = 4  # tokens; with less left nothing more is tried


def assemble(
    material: Material,
    *,
    budget: int,
    now: datetime,
    quotas: Quotas | None = None,
    form: Form = Form.TEXT,
    count: Counter = count_tokens,
) -> Assembled:
    """Return the prompt of `material` in at most `budget` tokens.

    A line that does not fit is skipped, later ones are still tried. `now` is aware and
    in the user's zone.
    """
    lines = write_lines(material, now=now)
    layout = Layout(form=form, count=count, budget=budget)
    purse = Purse(lines, layout, quotas or Quotas())
    taken = purse.fill()
    while (tokens := layout.cost([lines[at] for at in sorted(taken)])) > budget:
        if not taken:
            return _give_up(lines)
        taken.pop()
    chosen = [lines[at] for at in sorted(taken)]
    left_out = sorted(set(range(len(lines))).difference(taken))
    return Assembled(
        prompt=layout.prompt(chosen),
        messages=tuple(layout.messages(chosen)),
        sections=_sections(chosen),
        used=tuple(line.memory for line in chosen if line.memory is not None),
        skipped=tuple(_skip(lines[at], purse.why(at)) for at in left_out),
        tokens=tokens,
    )


class Layout:
    """How lines become a prompt or a message list, and what that costs."""

    def __init__(self, *, form: Form, count: Counter, budget: int) -> None:
        self._form = form
        self._count = count
        self.budget = budget
        self._notice = NOTICE
        if self.cost([]) > MAX_NOTICE_SHARE * budget:
            self._notice = SHORT_NOTICE

    def cost(self, lines: Sequence[Line]) -> int:
        """Return the tokens of everything that is returned."""
        prompt = self._count(self.prompt(lines))
        if self._form is Form.TEXT:
            return prompt
        spoken = sum(self.price(line) for line in lines if self.is_spoken(line))
        return prompt + spoken + TOKENS_PER_MESSAGE + TOKENS_PER_REPLY

    def price(self, line: Line) -> int:
        """Return about what one line adds; its section's frame is not in it."""
        if self.is_spoken(line):
            return self._count(line.spoken) + TOKENS_PER_MESSAGE
        return self._count(f"{line.text}\n")

    def opening(self, line: Line) -> int:
        """Return about what the frame of a line's section adds."""
        if self.is_spoken(line):
            return 0
        return self._count(_render(line.section, []))

    def prompt(self, lines: Sequence[Line]) -> str:
        """Return the one string: notice and sections inside the wrapper."""
        written = [line for line in lines if not self.is_spoken(line)]
        sections = (
            _render(section.name, [line.text for line in section.lines])
            for section in _sections(written)
            if section.lines
        )
        body = "".join(sections)
        return f"<{WRAPPER}>\n{self._notice}\n{body}</{WRAPPER}>"

    def messages(self, lines: Sequence[Line]) -> list[ChatMessage]:
        """Return the message list, the system message first; none for a string."""
        if self._form is Form.TEXT:
            return []
        turns = [
            ChatMessage(role=line.role, content=line.spoken)
            for line in reversed(lines)
            if self.is_spoken(line)
        ]
        return [ChatMessage(role="system", content=self.prompt(lines)), *turns]

    def is_spoken(self, line: Line) -> bool:
        """Tell whether a line becomes a message of its own."""
        return self._form is Form.OPENAI and bool(line.role)


class Purse:
    """Pays for lines, first within each quota, then with what is left over."""

    def __init__(self, lines: Sequence[Line], layout: Layout, quotas: Quotas) -> None:
        self._lines = lines
        self._layout = layout
        self._all = self._left = layout.budget - layout.cost([])
        self._room = {quota: quotas.of(quota) * layout.budget for quota in Quota}
        self._opened: set[SectionName] = set()
        self._prices: dict[int, int] = {}

    def fill(self) -> list[int]:
        """Return the places of the lines that can be paid, the last to go first."""
        places = range(len(self._lines))
        required = [at for at in places if self._lines[at].is_required]
        paid = {at: False for at in required if self._pay(at, within_quota=False)}
        for at in places:
            if at not in paid and self._pay(at, within_quota=True):
                paid[at] = False
        for at in places:
            if at not in paid and self._lines[at].quota is not Quota.PINS:
                paid |= {at: True} if self._pay(at, within_quota=False) else {}
        last_to_go = set(required)
        return sorted(paid, key=lambda at: (at not in last_to_go, paid[at], at))

    def why(self, at: int) -> str:
        """Return why a line stayed out."""
        price = self._prices.get(at, 0)
        if price > self._all:
            return "oversize"
        quota = self._lines[at].quota
        return (
            "quota" if quota is Quota.PINS and price > self._room[quota] else "budget"
        )

    def _pay(self, at: int, *, within_quota: bool) -> bool:
        if self._left < SMALLEST_LINE:
            return False
        line = self._lines[at]
        if at not in self._prices:
            self._prices[at] = self._layout.price(line)
        is_open = line.section in self._opened
        price = self._prices[at] + (0 if is_open else self._layout.opening(line))
        if price > self._left or (within_quota and price > self._room[line.quota]):
            return False
        self._left -= price
        self._room[line.quota] -= price
        self._opened.add(line.section)
        return True


def _give_up(lines: Sequence[Line]) -> Assembled:
    """Return nothing, and say so: not even the shortest notice fits."""
    return Assembled(
        prompt="",
        messages=(),
        sections=_sections([]),
        used=(),
        skipped=tuple(_skip(line, "budget") for line in lines),
        tokens=0,
    )


def _skip(line: Line, reason: str) -> Skipped:
    return Skipped(section=line.section, memory=line.memory, reason=reason)


def _sections(lines: Sequence[Line]) -> tuple[Section, ...]:
    """Return all sections, also empty ones; a session runs from old to new."""
    found: dict[SectionName, list[Line]] = {name: [] for name in SectionName}
    for line in lines:
        found[line.section].append(line)
    found[SectionName.SESSION].reverse()
    return tuple(
        Section(name=name, lines=tuple(section)) for name, section in found.items()
    )


def _render(section: SectionName, lines: Sequence[str]) -> str:
    body = "".join(f"{line}\n" for line in (HEADINGS[section], *lines))
    return f"<{section}>\n{body}</{section}>\n"
