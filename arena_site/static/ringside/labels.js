// Verdicts on steps: one form a lane, one key a verdict, what was said beside each step.
(() => {
  "use strict";
  const { send, singleKey } = window.ringside;
  const VERDICTS = { h: "helpful", u: "unnecessary", w: "wrong", s: "unsafe" };
  const LANES = { j: "A", k: "B" };

  const laneOf = (element) => element.closest("[data-lane]");
  const formOf = (lane) => lane.querySelector(".step-verdict");

  /** The form speaks of the step whose action is on the frame. */
  const follow = (lane, number) => {
    const form = formOf(lane);
    if (!form) return;
    const select = form.elements.step;
    if (number) select.value = String(number);
    const said = select.selectedOptions[0]?.dataset.verdict;
    for (const button of form.querySelectorAll("[name=verdict]")) {
      button.setAttribute("aria-pressed", String(button.value === said));
    }
  };

  const say = async (form, button) => {
    const lane = laneOf(form);
    const number = form.elements.step.value;
    const words = form.querySelector(".verdict-said");
    const fields = new FormData(form);
    fields.set("verdict", button.value);
    try {
      const { verdict } = await send(form.action, fields);
      form.elements.step.querySelector(`[value="${number}"]`).dataset.verdict = verdict;
      lane.querySelector(`.step[data-key="${number}"] [data-said]`).textContent = verdict;
      words.textContent = `Step ${number}: ${verdict}.`;
      words.classList.remove("is-lost");
    } catch (error) {
      words.textContent = error.message;
      words.classList.add("is-lost");
    }
    follow(lane);
  };

  document.addEventListener("ringside:shown", (event) => {
    const lane = event.detail;
    follow(lane.root, lane.data.steps[lane.at]?.n);
  });
  document.addEventListener("change", (event) => {
    if (!event.target.matches(".step-verdict select")) return;
    window.ringside.replay.goTo(laneOf(event.target).dataset.lane, event.target.selectedIndex);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".step-verdict")) return;
    event.preventDefault();
    if (event.submitter) say(event.target, event.submitter);
  });

  document.addEventListener("keydown", (event) => {
    const key = singleKey(event);
    if (key in LANES) {
      const tab = document.getElementById(`show-${LANES[key].toLowerCase()}`);
      if (tab) tab.checked = true;
      const lane = document.querySelector(`.replay [data-lane="${LANES[key]}"]`);
      (lane?.querySelector(".step[aria-current] [data-go]") ?? lane?.querySelector("[data-go]"))?.focus();
      event.preventDefault();
    } else if (key in VERDICTS && event.target.matches(".steps [data-go]")) {
      const form = formOf(laneOf(event.target));
      // On the last page there is no step to speak of.
      if (!form || event.target.closest("[data-key=end]")) return;
      event.preventDefault();
      say(form, form.querySelector(`[value="${VERDICTS[key]}"]`));
    }
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const form of document.querySelectorAll(".step-verdict")) follow(laneOf(form));
  });
})();
