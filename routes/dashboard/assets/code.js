/**
 * Fills in the code from the fragment of a mail's link. Browsers do not send fragments to servers.
 * Without scripts the user types the code.
 */

function fillIn() {
  const code = /^#code=(\d{6})$/.exec(location.hash)?.[1];
  const field = document.querySelector("input[name=otp]");
  if (code === undefined || field === null) return;
  field.value = code;
  (field.form.elements.newPassword ?? field.form.querySelector("button")).focus();
  // Removes the code from the browser's history.
  history.replaceState(history.state, "", location.pathname + location.search);
}

addEventListener("hashchange", fillIn);
fillIn();
