// While something is worked out, ask again every few seconds, unless somebody is typing into the form.

const form = document.querySelector("form[data-look-again]");

if (form) {
  setInterval(() => {
    if (!form.contains(document.activeElement)) form.requestSubmit();
  }, Number(form.dataset.lookAgain) * 1000);
}
