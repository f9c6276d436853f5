// Instants in the time zone of whoever reads: the page has them in UTC, and without scripts they stay so.
(() => {
  "use strict";
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" });

  for (const element of document.querySelectorAll("time[data-instant]")) {
    const at = new Date(element.dateTime);
    if (!Number.isNaN(at.getTime())) element.textContent = `${day.format(at)} ${clock.format(at)}`;
  }
})();
