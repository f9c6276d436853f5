// A page that answers as one types: reads the form, asks the page's own script for the answer, and puts it in place.
// Without it the form is sent and the server answers; the numbers are the same.
(() => {
  "use strict";
  // What is read aloud waits until the hand rests.
  const REST_MS = 350;

  /** A scale from `low` to `high`, in percent; what lies outside is put at the end. */
  const percent = (value, low, high, logarithmic = false) => {
    const place = logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return 100 * Math.min(1, Math.max(0, place));
  };

  /** Scale of a drawing that carries its ends. */
  const scaleOf = (drawing) => {
    const { low, high } = drawing.dataset;
    return (value) => `${percent(value, Number(low), Number(high))}%`;
  };

  const words = (value, digits) => {
    const text = value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return Number(text.replaceAll(",", "")) === 0 ? text.replace("-", "") : text;
  };

  const put = (place, value) => {
    place.value = String(value);
    place.textContent = words(value, Number(place.dataset.digits));
  };

  /** Show what holds: "settled" where it does, "not settled" where it does not. */
  const reveal = (place, holds) => {
    const [, not, name] = /^(not )?(.*)$/.exec(place.dataset.when);
    if (name in holds) place.hidden = Boolean(not) === holds[name];
  };

  const setAll = (marks) => {
    for (const [name, attributes] of Object.entries(marks)) {
      const mark = document.querySelector(`[data-mark="${name}"]`);
      for (const [attribute, value] of Object.entries(attributes)) {
        if (attribute === "text") mark.textContent = value;
        else mark.setAttribute(attribute, value);
      }
    }
  };

  /**
   * Run a page. `answer` takes the form's values by name, numbers where they are numbers, and returns `numbers` by
   * name, `holds` by name, and `marks` with their attributes and text; it throws an Error in words where there is no answer.
   */
  const play = (answer) => {
    const form = document.querySelector("[data-play]");
    const problem = document.querySelector("[data-problem]");
    let resting = 0;

    const valuesOf = () => {
      const values = {};
      for (const [name, text] of new FormData(form)) {
        const control = form.elements[name];
        const isNumber = control.type === "number" || control.type === "range" || form.dataset.numbers?.split(" ").includes(name);
        values[name] = isNumber ? Number(text) : text;
      }
      return values;
    };

    const refuse = (message) => {
      problem.textContent = message ? `${message} What stands here is still the last answer.` : "";
      problem.hidden = !message;
    };

    const place = (found, spoken) => {
      for (const element of document.querySelectorAll("[data-out], [data-when]")) {
        if (Boolean(element.closest("[aria-live]")) !== spoken) continue;
        if (element.dataset.when) reveal(element, found.holds ?? {});
        else if (element.dataset.out in found.numbers) put(element, found.numbers[element.dataset.out]);
      }
    };

    const update = () => {
      clearTimeout(resting);
      const wrong = [...form.elements].find((control) => control.willValidate && !control.checkValidity());
      if (wrong) {
        refuse(`${wrong.closest("fieldset, .field").querySelector("legend, label").textContent.trim()}: ${wrong.validationMessage}`);
        return;
      }
      let found;
      try {
        found = answer(valuesOf());
      } catch (error) {
        refuse(error.message);
        return;
      }
      refuse("");
      for (const old of document.querySelectorAll("[data-server-problem]")) old.hidden = true;
      place(found, false);
      setAll(found.marks ?? {});
      resting = setTimeout(() => {
        place(found, true);
        history.replaceState(null, "", `?${new URLSearchParams(new FormData(form))}`);
      }, REST_MS);
    };

    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      update();
    });
    form.addEventListener("click", (event) => {
      const button = event.target.closest("[data-next-seed]");
      if (!button) return;
      const seed = form.elements[button.dataset.nextSeed];
      seed.value = String((Number(seed.value) + 1) % (Number(seed.max) + 1));
      update();
    });
    // A browser may fill in what stood in the form before a reload.
    addEventListener("pageshow", () => {
      const inputs = [...form.querySelectorAll("input")];
      if (inputs.some((input) => input.value !== input.defaultValue || input.checked !== input.defaultChecked)) update();
    });
  };

  window.ringside = { ...window.ringside, play, percent, scaleOf };
})();
