"""What a reader sees of a page: its words, without code, icons and other languages.

>>> read_visible("<p>Hello <i class='material-symbols-outlined'>home</i></p>")
['Hello']
"""

from html.parser import HTMLParser

SPOKEN = ("alt", "aria-label", "placeholder", "title")
NO_END = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "rect"})
UNSEEN = frozenset({"script", "style", "template"})


class _Reader(HTMLParser):
    """Collects texts; leaves out what stands in an element that nobody reads as text."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(
        self, tag: str, attributes: list[tuple[str, str | None]]
    ) -> None:
        told = {name: value or "" for name, value in attributes}
        is_icon = "material-symbols-outlined" in told.get("class", "")
        is_other = told.get("lang", self.language).lower() != self.language
        if not self._is_hidden():
            self.found += [told[name] for name in SPOKEN if told.get(name)]
            if tag == "input" and told.get("type") in ("button", "reset", "submit"):
                self.found.append(told.get("value", ""))
        if tag not in NO_END:
            self._open.append((tag, tag in UNSEEN or is_icon or is_other))

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _hides in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not self._is_hidden() and data.strip():
            self.found.append(" ".join(data.split()))

    def _is_hidden(self) -> bool:
        return any(hides for _name, hides in self._open)


def read_visible(page: str, *, language: str = "zh-hans") -> list[str]:
    """Return the texts of a page, and of the attributes that are read out.

    What is marked as being in another language is left out.
    """
    reader = _Reader(language)
    reader.feed(page)
    return [text for text in reader.found if text]
