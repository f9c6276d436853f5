// Frames and clocks, shared by the live page and the replay. The picture's box never changes size.
(() => {
  "use strict";
  const FADE_MS = 160; // the stylesheet's --fade
  const WIDTH = 1280;
  const HEIGHT = 800;

  /** Show `url` in a `.picture` box: decoded first, then faded in over the old one. The newest request wins. */
  const showFrame = async (picture, url, alt) => {
    picture.dataset.want = url ?? "";
    const shown = picture.querySelector("img:last-of-type");
    if (shown?.getAttribute("src") === (url ?? undefined)) {
      shown.alt = alt;
      return;
    }
    if (!url) {
      picture.replaceChildren();
      return;
    }
    const next = new Image(WIDTH, HEIGHT);
    next.src = url;
    next.alt = alt;
    try {
      await next.decode();
    } catch {
      return; // the last good frame stays
    }
    if (picture.dataset.want !== url) return;
    const older = [...picture.querySelectorAll("img")];
    for (const image of older) image.alt = "";
    next.className = "is-entering";
    picture.append(next);
    requestAnimationFrame(() => requestAnimationFrame(() => next.classList.remove("is-entering")));
    setTimeout(() => older.forEach((image) => image.remove()), FADE_MS + 60);
  };

  const clockWords = (seconds) => {
    const whole = Math.max(0, Math.floor(seconds));
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  };
  /** With tenths, as the server writes the time of a step. */
  const stepClockWords = (seconds) => {
    const tenths = Math.max(0, Math.floor(seconds * 10));
    return `${clockWords(tenths / 10)}.${tenths % 10}`;
  };

  window.ringside = { ...window.ringside, WIDTH, HEIGHT, showFrame, clockWords, stepClockWords };
})();
