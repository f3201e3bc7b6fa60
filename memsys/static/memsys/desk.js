/* What the desk does in the browser: colours, the folded menu, one shortcut, scrolling.

Every page works without it. Menus and filters open by the browser's own popovers. */

"use strict";

(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // Storage can be switched off; then nothing is remembered.
    }
  };
  const keep = (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // As above.
    }
  };

  const theme = () => read("desk-theme") || "auto";
  const paint = () => {
    const chosen = theme();
    root.classList.toggle("dark", chosen === "dark" || (chosen === "auto" && dark.matches));
    for (const button of document.querySelectorAll("[data-theme-choice]")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen));
    }
  };

  const fold = () => {
    const isFolded = read("desk-menu") === "folded";
    root.classList.toggle("desk-folded", isFolded);
    for (const button of document.querySelectorAll("[data-fold-sidebar]")) {
      button.setAttribute("aria-expanded", String(!isFolded));
    }
  };

  /* A table that is wider than its box is reached by Tab and scrolled by the arrow keys. */
  const reachBoxes = () => {
    for (const box of document.querySelectorAll(".desk-panel, [data-scrolls]")) {
      if (box.scrollWidth <= box.clientWidth + 1) {
        box.removeAttribute("tabindex");
        continue;
      }
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      const heading = box.querySelector("h2");
      if (heading && !box.hasAttribute("aria-label") && !box.hasAttribute("aria-labelledby")) {
        box.setAttribute("aria-label", heading.textContent.trim());
      }
    }
  };

  paint();
  fold();
  dark.addEventListener("change", paint);

  document.addEventListener("DOMContentLoaded", () => {
    paint();
    fold();
    reachBoxes();
    window.addEventListener("resize", reachBoxes);
    document.querySelector(".desk-sidebar [aria-current]")?.scrollIntoView({ block: "nearest" });
    window.scrollTo(0, window.scrollY);
  });

  document.addEventListener("click", (event) => {
    const choice = event.target.closest("[data-theme-choice]");
    if (choice) {
      keep("desk-theme", choice.dataset.themeChoice);
      paint();
    }
    if (event.target.closest("[data-fold-sidebar]")) {
      keep("desk-menu", root.classList.contains("desk-folded") ? "open" : "folded");
      fold();
    }
  });

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
    const target = document.querySelector("[data-shortcut]");
    if (event.key === "/" && target && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      target.focus();
    }
  });
})();
