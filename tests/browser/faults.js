// What is wrong with a page as it stands in a window: a list of sentences, empty when fine.
() => {
  const width = document.documentElement.clientWidth;
  const faults = new Set();
  const isSeen = (one) => {
    const box = one.getBoundingClientRect();
    return one.checkVisibility({ visibilityProperty: true }) && box.width > 1 && box.height > 1;
  };
  const above = function* (one) {
    for (let at = one.parentElement; at && at !== document.body; at = at.parentElement) yield at;
  };
  const isHidden = (one) =>
    [one, ...above(one)].some(
      (at) => getComputedStyle(at).clipPath !== "none" || at.ariaHidden === "true",
    );
  const scrolls = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const hides = (one) => ["hidden", "clip"].includes(getComputedStyle(one).overflowX);
  const hasText = (one) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const tell = (one) =>
    `<${one.tagName.toLowerCase()} class="${one.getAttribute("class") || ""}">`.slice(0, 90);

  if (document.documentElement.scrollWidth > width + 1) {
    faults.add(`The page is ${document.documentElement.scrollWidth} wide.`);
  }
  for (const one of document.querySelectorAll("body *:not(option)")) {
    if (!isSeen(one) || isHidden(one)) continue;
    const box = one.getBoundingClientRect();
    const isText = hasText(one);
    if ((isText || one.matches("a, button, input, select, textarea")) && ![...above(one)].some(scrolls)) {
      if (box.right > width + 1 || box.left < -1) faults.add(`${tell(one)} leaves the window.`);
    }
    if (!isText) continue;
    if (hides(one) && one.scrollWidth > one.clientWidth + 1) faults.add(`${tell(one)} cuts its text.`);
    const range = document.createRange();
    range.selectNodeContents(one);
    const text = range.getBoundingClientRect();
    for (const at of above(one)) {
      if (scrolls(at)) break;
      const border = at.getBoundingClientRect();
      if (hides(at) && (text.right > border.right + 1 || text.left < border.left - 1)) {
        faults.add(`${tell(at)} cuts the text of ${tell(one)}.`);
        break;
      }
    }
  }

  const iconless = (one) => {
    const copy = one.cloneNode(true);
    copy.querySelectorAll(".material-symbols-outlined, [aria-hidden=true]").forEach((icon) => icon.remove());
    return copy.textContent.trim();
  };
  const nameOf = (one) =>
    one.getAttribute("aria-label") ||
    [...(one.labels || [])].map((label) => label.textContent.trim()).join("") ||
    (one.matches("input[type=submit]") && one.value) ||
    iconless(one);
  for (const one of document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']",
  )) {
    if (isSeen(one) && !nameOf(one)) faults.add(`${tell(one)} has no name.`);
  }
  for (const box of document.querySelectorAll("body *")) {
    if (isSeen(box) && scrolls(box) && box.scrollWidth > box.clientWidth + 1) {
      const holds = box.querySelector("a[href], button, input, select, textarea");
      if (box.tabIndex < 0 && !holds && !box.matches("textarea, select, input")) {
        faults.add(`${tell(box)} scrolls and no key gets there.`);
      }
    }
  }
  if (document.querySelectorAll("h1").length !== 1) faults.add("There is not one heading h1.");
  if (!document.title.trim()) faults.add("There is no title.");
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  for (const id of ids.filter((one, at) => ids.indexOf(one) !== at)) faults.add(`Two have the id ${id}.`);
  return [...faults];
}
