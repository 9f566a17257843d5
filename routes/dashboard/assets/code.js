/**
 * Fills in the code that the link of a mail has behind its #, which browsers send to no server.
 * Without scripts it is typed.
 */

function fillIn() {
  const code = /^#code=(\d{6})$/.exec(location.hash)?.[1];
  const field = document.querySelector("input[name=otp]");
  if (code === undefined || field === null) return;
  field.value = code;
  (field.form.elements.newPassword ?? field.form.querySelector("button")).focus();
  // The history of the browser keeps addresses.
  history.replaceState(history.state, "", location.pathname + location.search);
}

addEventListener("hashchange", fillIn);
fillIn();
