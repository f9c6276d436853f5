// What a person chose to keep in this browser, and whether single keys act. Shared by every script of the battle page.
(() => {
  "use strict";
  const KEYS_OFF = "ringside.keys-off";

  /** Read a stored value, or write one; null removes it. Where storage is refused, defaults hold. */
  const store = (area, key, value) => {
    try {
      if (value === null) window[area].removeItem(key);
      else if (value !== undefined) window[area].setItem(key, value);
      return window[area].getItem(key);
    } catch {
      return null;
    }
  };
  const keep = (key, value) => store("localStorage", key, value);
  const keepInTab = (key, value) => store("sessionStorage", key, value);

  const typing = (element) =>
    element.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=range])") || element.isContentEditable;

  /** The single key of this event in lower case, or "" where it may not act: in a field, with a modifier, switched off. */
  const singleKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return "";
    if (keep(KEYS_OFF) === "1" || typing(event.target) || document.querySelector(":popover-open")) return "";
    return event.key.toLowerCase();
  };

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-keys-toggle]")) keep(KEYS_OFF, event.target.checked ? null : "1");
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const box of document.querySelectorAll("[data-keys-toggle]")) box.checked = keep(KEYS_OFF) !== "1";
  });

  /** Send a form's fields and read the JSON that comes back; a refusal in words is an Error. */
  const send = async (address, fields) => {
    let answer;
    try {
      answer = await fetch(address, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    } catch {
      throw new Error("The connection is lost. Nothing was kept; press again.");
    }
    const isJson = /^application\/(problem\+)?json/.test(answer.headers.get("Content-Type"));
    const said = isJson ? await answer.json() : {};
    if (!answer.ok) throw new Error(said.detail ?? "It was not kept. Reload the page and try again.");
    return said;
  };

  window.ringside = { ...window.ringside, keep, keepInTab, singleKey, send };
})();
