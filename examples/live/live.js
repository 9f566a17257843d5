// deno-lint-ignore no-import-prefix -- Every Corbel serves its client.
import { createClient } from "http://localhost:8000/client.js";

const corbel = createClient({ url: "http://localhost:8000", key: "pk_live_…" });
const notes = corbel.from("notes");
const $ = (selector) => document.querySelector(selector);
const given = (form) => Object.fromEntries(new FormData(form));
const tell = (error) => $("#message").textContent = error?.message ?? "";
const attempt = (work) => (event) => {
  event.preventDefault();
  work(event.target, event.submitter).then(() => event.target.reset?.()).then(tell, tell);
};

/** The whole list, whichever window has changed it: what is written is not shown by itself. */
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
  items([]); // Nobody sees what the one before them saw.
  [$("#signed-out").hidden, $("#signed-in").hidden] = [user !== null, user === null];
  if (user) list = notes.live({ limit: 1000 }, { items, connected, error: tell });
});

$("#with-email").onsubmit = attempt((form, { value }) => corbel.auth[value](given(form)));
$("#new-note").onsubmit = attempt((form) => notes.create(given(form)));
$("#sign-out").onclick = attempt(() => corbel.auth.signOut());
