// The live page. htmx fetches the fragment; this swap changes only what is new, so that nothing moves, flashes or loses focus.
(() => {
  "use strict";
  const { showFrame, clockWords } = window.ringside;

  const patch = {
    html(now, next) {
      if (now.innerHTML !== next.innerHTML) now.innerHTML = next.innerHTML;
      return [now];
    },
    node(now, next) {
      if (now.outerHTML === next.outerHTML) return [];
      now.replaceWith(next);
      return [next];
    },
    value(now, next) {
      now.value = next.value;
      return [];
    },
    frame(now, next) {
      const image = next.querySelector("img");
      if (image) showFrame(now, image.getAttribute("src"), image.alt);
      else if (!now.querySelector("img")) now.replaceChildren(...next.childNodes);
      return [];
    },
    list(now, next) {
      const atEnd = now.scrollHeight - now.scrollTop - now.clientHeight < 24;
      const known = new Map([...now.children].map((item) => [item.dataset.key, item]));
      for (const item of [...next.children]) {
        const old = known.get(item.dataset.key);
        known.delete(item.dataset.key);
        if (!old) now.append(item);
        else if (old.outerHTML !== item.outerHTML) old.replaceWith(item);
      }
      for (const gone of known.values()) gone.remove();
      if (atEnd) now.scrollTop = now.scrollHeight;
      return [];
    },
  };

  const swapLanes = (target, fragment) => {
    const parts = [...fragment.querySelectorAll("[data-live]")];
    // Another structure than the one on the page (a lane that was void, say): let htmx replace the whole.
    if (!parts.length || parts.some((part) => !target.querySelector(`#${CSS.escape(part.id)}`))) return false;
    const changed = parts.flatMap((part) => {
      const now = target.querySelector(`#${CSS.escape(part.id)}`);
      return patch[part.dataset.live](now, part);
    });
    clocks();
    return changed;
  };

  // Clocks run between two answers of the server; each answer sets them right again.
  const started = new WeakMap();
  const clocks = () => {
    for (const clock of document.querySelectorAll("[data-clock]")) {
      if (!started.has(clock)) started.set(clock, performance.now());
      const limit = Number(clock.dataset.limit) || Infinity;
      const seconds = Number(clock.dataset.clock) + (performance.now() - started.get(clock)) / 1000;
      const words = clockWords(Math.min(seconds, limit));
      if (clock.textContent !== words) clock.textContent = words;
    }
  };

  const lost = (isLost) => {
    const note = document.querySelector("[data-live-lost]");
    if (note) note.hidden = !isLost;
  };

  htmx.defineExtension("lanes", {
    isInlineSwap: (style) => style === "lanes",
    handleSwap: (style, target, fragment) => (style === "lanes" ? swapLanes(target, fragment) : false),
  });

  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector("#live")) return;
    for (const list of document.querySelectorAll("#live [data-live='list']")) list.scrollTop = list.scrollHeight;
    clocks();
    setInterval(clocks, 250);
  });
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.addEventListener(name, () => lost(true));
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful || event.detail.xhr?.status === 204) lost(false);
  });
})();
