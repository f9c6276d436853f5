// The vote bar: single keys, the time in focus, and a choice that survives a sign-in. The form works without any of it.
(() => {
  "use strict";
  const { keepInTab, singleKey } = window.ringside;
  const DRAFT = "ringside.draft.";
  const PICKS = { 1: 0, a: 0, 2: 1, b: 1, 3: 2, t: 2, 4: 3, x: 3 };
  const SETTLE_MS = 700; // a double press on Save must not lock what it has just saved
  const DRAFTED = /^(choice|completion_|confidence|reasons|note)/;

  const form = () => document.querySelector(".vote-form");

  // Time in focus only: a tab left open overnight says nothing about judging.
  let focusedMs = 0;
  let since = document.visibilityState === "visible" && document.hasFocus() ? performance.now() : null;
  const pause = () => {
    if (since !== null) focusedMs += performance.now() - since;
    since = null;
  };
  const resume = () => {
    if (since === null) since = performance.now();
  };
  addEventListener("blur", pause);
  addEventListener("focus", resume);
  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? resume() : pause()));

  const fillHidden = () => {
    const target = form();
    if (!target) return;
    const running = since === null ? 0 : performance.now() - since;
    const facts = { opened: "" };
    document.dispatchEvent(new CustomEvent("ringside:vote", { detail: facts }));
    target.elements.focused_ms.value = String(Math.round(focusedMs + running));
    target.elements.opened.value = facts.opened;
  };

  const saveDraft = () => {
    const target = form();
    if (!target) return;
    const values = [...new FormData(target)].filter(([name]) => DRAFTED.test(name));
    keepInTab(DRAFT + target.dataset.battle, JSON.stringify(values));
  };
  const restoreDraft = () => {
    const target = form();
    if (!target) return;
    // What the server holds is newer than any draft.
    if (target.dataset.saved === "true") {
      keepInTab(DRAFT + target.dataset.battle, null);
      return;
    }
    for (const [name, value] of JSON.parse(keepInTab(DRAFT + target.dataset.battle) ?? "[]")) {
      for (const control of target.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
        if (control.matches("[type=radio], [type=checkbox]")) control.checked ||= control.value === value;
        else control.value = value;
      }
    }
  };

  const pick = (index) => {
    const control = form()?.querySelectorAll('[name="choice"]')[index];
    if (!control) return;
    control.checked = true;
    control.dispatchEvent(new Event("change", { bubbles: true }));
    // The next question is under the fingers: one Tab and an arrow per lane.
    form().querySelector('[name^="completion_"]')?.focus({ preventScroll: true });
  };

  document.addEventListener("keydown", (event) => {
    const key = singleKey(event);
    if (!key || event.target.closest(".surface")) return;
    if (key === "?") {
      document.getElementById("keys-help")?.showPopover();
    } else if (key in PICKS && form()) {
      event.preventDefault();
      pick(PICKS[key]);
    } else if (key === "enter" && form() && !event.target.closest("a, button, summary")) {
      event.preventDefault();
      form().querySelector("[data-primary]")?.click();
    }
  });

  document.addEventListener("change", (event) => {
    if (event.target.closest(".vote-form")) saveDraft();
  });
  let savedAt = -Infinity;
  // In the capture phase, before htmx or the browser reads the form.
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest(".vote-form button");
      if (!button) return;
      if (button.hasAttribute("formaction") && performance.now() - savedAt < SETTLE_MS) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      fillHidden();
    },
    true,
  );
  document.addEventListener("submit", fillHidden, true);
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!document.getElementById("vote-bar")?.contains(event.target) && event.target.id !== "vote-bar") return;
    savedAt = performance.now();
    // What was sent is stored; the next form says what was looked at since.
    focusedMs = 0;
    if (since !== null) since = performance.now();
    restoreDraft();
    // The pressed button is gone; what is missing, or what comes next, is under the same key.
    const next = form()?.querySelector("[aria-invalid]") ?? form()?.querySelector("[data-primary]");
    next?.focus({ preventScroll: true });
  });

  // A saved vote folded away on a narrow screen unfolds when something in it is missing.
  document.addEventListener(
    "invalid",
    (event) => {
      const change = event.target.closest(".vote-form")?.querySelector(".vote-change input");
      if (change) change.checked = true;
    },
    true,
  );

  // The site cannot say more than that the battle is not open to whoever asks; mostly they were signed out meanwhile.
  const signedOut = (note) => {
    const link = document.createElement("a");
    link.href = `${form().dataset.signIn}?next=${encodeURIComponent(location.pathname)}`;
    link.textContent = "Sign in again";
    note.replaceChildren("Not saved: you are signed out, or the battle is hidden. Your picks stay here. ", link);
  };

  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    document.addEventListener(name, (event) => {
      const note = document.querySelector("[data-vote-lost]");
      if (!note) return;
      const status = event.detail.xhr?.status;
      if (status === 404) signedOut(note);
      else note.textContent = status === 403 ? "Not saved: reload the page first; your picks stay." : "Not saved. Press again.";
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    restoreDraft();
  });
  // The back button shows what the server knows, not a form kept in memory.
  addEventListener("pageshow", (event) => {
    if (event.persisted && form()) location.reload();
  });
})();
