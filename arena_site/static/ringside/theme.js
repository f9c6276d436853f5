// Runs before the first paint, so that a stored choice of scheme never flashes. Also tells the stylesheet that scripts run.
(() => {
  "use strict";
  const KEY = "ringside.scheme";
  const root = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");

  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage is refused: the choice then lasts for this page only
    }
  };
  const write = (scheme) => {
    try {
      if (scheme) localStorage.setItem(KEY, scheme);
      else localStorage.removeItem(KEY);
    } catch {
      return;
    }
  };
  const isDark = () => (root.dataset.scheme ? root.dataset.scheme === "dark" : systemDark.matches);

  const label = () => {
    for (const button of document.querySelectorAll("[data-scheme-toggle]")) {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
    }
  };
  const apply = (scheme) => {
    if (scheme === "light" || scheme === "dark") root.dataset.scheme = scheme;
    else delete root.dataset.scheme;
    label();
  };

  root.dataset.js = "";
  apply(read());

  document.addEventListener("DOMContentLoaded", label);
  systemDark.addEventListener("change", label);
  addEventListener("storage", (event) => {
    if (event.key === KEY) apply(event.newValue);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-scheme-toggle]")) return;
    const wanted = isDark() ? "light" : "dark";
    // Choosing what the system already says gives the system its say back.
    const chosen = (wanted === "dark") === systemDark.matches ? null : wanted;
    write(chosen);
    apply(chosen);
  });
})();
