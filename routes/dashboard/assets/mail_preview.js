// Updates the preview of a mail while the template is typed. Without scripts a button updates it.

const PAUSE_MS = 400;
let waiting;

document.addEventListener("input", ({ target }) => {
  const form = target.closest?.("form[data-preview]");
  if (!form) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => preview(form), PAUSE_MS);
});

function preview(form) {
  const button = form.querySelector("button[formtarget]");
  const frame = button && document.querySelector(`iframe[name="${button.formTarget}"]`);
  if (!frame?.isConnected || !form.isConnected) return;
  // A new frame prevents an entry in the browser's history for each preview.
  const fresh = frame.cloneNode();
  fresh.removeAttribute("src");
  frame.replaceWith(fresh);
  form.requestSubmit(button);
}
