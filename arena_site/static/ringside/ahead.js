// Once a vote is final and the page is at rest, fetch the first frames of the battle that comes next.
(() => {
  "use strict";
  const REST_MS = 1500; // somebody who only looked in has left by then

  const fetchAhead = async (form) => {
    const answer = await fetch(form.dataset.ahead, { method: "POST", body: new FormData(form) });
    if (!answer.ok) return;
    for (const url of (await answer.json()).frames) {
      const image = new Image();
      image.fetchPriority = "low";
      image.src = url;
    }
  };

  const atRest = () => {
    const form = document.querySelector("[data-ahead]");
    if (!form || document.visibilityState !== "visible") return;
    const idle = window.requestIdleCallback ?? ((later) => setTimeout(later, 1));
    // Nothing is lost when it fails: the next page then fetches its own frames.
    idle(() => fetchAhead(form).catch(() => undefined));
  };
  addEventListener("load", () => setTimeout(atRest, REST_MS));
})();
