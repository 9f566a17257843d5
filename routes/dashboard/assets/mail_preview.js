// The preview of a mail follows what is typed. Without this its button fills the frame.

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
  // The first page of a new frame is no step of its own on the way back.
  const fresh = frame.cloneNode();
  fresh.removeAttribute("src");
  frame.replaceWith(fresh);
  form.requestSubmit(button);
}
