import { attempt, call, openSession } from "../common/session.js";
import { liveList } from "./live.js";

const $ = (selector) => document.querySelector(selector);

let stop = () => {};

openSession({
  signedIn() {
    stop = liveList(call, { collection: "notes", query: "sort=createdAt&limit=1000" }, show);
  },
  signedOut() {
    stop();
    $("#connection").textContent = "";
  },
});

function show(notes, isLive) {
  $("#connection").textContent = isLive ? "Live" : "Connecting …";
  $("#connection").classList.toggle("live", isLive);
  $("#none").hidden = notes.length > 0 || !isLive;
  $("#notes").replaceChildren(...notes.toReversed().map(rowOf));
}

function rowOf({ _id, text }) {
  const row = $("#row").content.cloneNode(true);
  row.querySelector("span").textContent = text;
  row.querySelector("button").ariaLabel = `Delete ${text}`;
  row.querySelector("button").onclick = () =>
    attempt(() => call(`/api/data/notes/${_id}`, { method: "DELETE" }));
  return row;
}

/** What comes of it is shown by the list: nothing here puts it there. */
$("#new-note").onsubmit = (event) => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    const body = JSON.stringify({ text: form.elements.text.value });
    await call("/api/data/notes", { method: "POST", body });
    form.reset();
  });
};
