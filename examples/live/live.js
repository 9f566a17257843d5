// deno-lint-ignore no-import-prefix -- Every Corbel serves its client.
import { createClient } from "http://localhost:8000/client.js";

const corbel = createClient({ url: "http://localhost:8000", key: "pk_live_…" });
const notes = corbel.from("notes");
const $ = (selector) => document.querySelector(selector);
const given = (form) => Object.fromEntries(new FormData(form));
const showError = (error) => $("#message").textContent = error?.message ?? "";
const attempt = (work) => (event) => {
  event.preventDefault();
  work(event.target, event.submitter).then(() => event.target.reset?.()).then(showError, showError);
};

/** Shows the complete list. Own changes arrive here too, like those of other windows. */
function items(all) {
  $("#notes").replaceChildren(...all.map(({ _id, text }) => {
    const row = $("#row").content.cloneNode(true);
    row.querySelector("span").textContent = text;
    row.querySelector("button").ariaLabel = `Delete ${text}`;
    row.querySelector("button").onclick = attempt(() => notes.delete(_id));
    return row;
  }));
}
const connected = (is) => $("#connection").textContent = is ? "Live" : "Connecting …";

let list;
corbel.auth.onChange((user) => {
  list?.close();
  items([]); // The next user must not see the notes of the previous one.
  [$("#signed-out").hidden, $("#signed-in").hidden] = [user !== null, user === null];
  if (user) list = notes.live({ limit: 1000 }, { items, connected, error: showError });
});

$("#with-email").onsubmit = attempt((form, { value }) => corbel.auth[value](given(form)));
$("#new-note").onsubmit = attempt((form) => notes.create(given(form)));
$("#sign-out").onclick = attempt(() => corbel.auth.signOut());
