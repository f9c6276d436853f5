// Forms that ask the browser for a short sum: done in a worker from the first touch on, so that it is ready when the
// form is sent. Whatever goes wrong here, the form is sent as it is, and the server says what that means.
(() => {
  "use strict";

  // The server's challenge is good for half an hour.
  const FRESH_MS = 20 * 60 * 1000;
  // A worker that says nothing for so long never will.
  const SILENCE_MS = 15000;

  const solve = async (form, progress) => {
    const answer = await fetch(form.dataset.proof, { cache: "no-store", credentials: "same-origin" });
    if (!answer.ok) throw new Error("no challenge");
    const challenge = await answer.json();
    const worker = new Worker(form.dataset.proofWorker);
    try {
      const solution = await new Promise((resolve, reject) => {
        let patience = setTimeout(reject, SILENCE_MS);
        worker.onerror = reject;
        worker.onmessage = ({ data }) => {
          clearTimeout(patience);
          if (data.solution) resolve(data.solution);
          else {
            progress(data.progress);
            patience = setTimeout(reject, SILENCE_MS);
          }
        };
        worker.postMessage(challenge);
      });
      return btoa(JSON.stringify({ challenge, solution }));
    } finally {
      worker.terminate();
    }
  };

  const attend = (form) => {
    const field = form.elements.proof;
    const state = form.querySelector("[data-proof-state]");
    let under = null;
    let solvedAt = -Infinity;
    let leaving = false;
    // Some browsers fill hidden fields in again.
    field.value = "";

    const start = () => {
      under ??= solve(form, (share) => { state.querySelector("progress").value = share; })
        .then((payload) => {
          field.value = payload;
          solvedAt = performance.now();
        })
        .catch(() => { field.value = ""; })
        .finally(() => { under = null; });
      return under;
    };
    const isFresh = () => field.value !== "" && performance.now() - solvedAt < FRESH_MS;

    form.addEventListener("focusin", () => { if (!isFresh()) start(); });
    form.addEventListener("submit", async (event) => {
      if (leaving || isFresh() || event.submitter?.hasAttribute("data-no-proof")) return;
      event.preventDefault();
      field.value = "";
      state.hidden = false;
      await start();
      state.hidden = true;
      leaving = true;
      form.requestSubmit(event.submitter);
    });
    // A page that comes back by the back button has sent its sum already.
    addEventListener("pageshow", (event) => {
      leaving = false;
      if (event.persisted) field.value = "";
    });
  };

  for (const form of document.querySelectorAll("form[data-proof]")) attend(form);
})();
