// deno-lint-ignore no-import-prefix -- Every Corbel serves its client.
import { createClient } from "http://localhost:8000/client.js";

const corbel = createClient({ url: "http://localhost:8000", key: "pk_live_…" });
const $ = (selector) => document.querySelector(selector);

/** The widths that each picture is shown in. */
const WIDTHS = [96, 320, 1024];

let stopping = new AbortController();
const stop = () => stopping.abort(new Error("Stopped. Nothing was uploaded."));

corbel.auth.onChange((user) => {
  if (user === null) stop();
  [$("#signed-out").hidden, $("#signed-in").hidden] = [user !== null, user === null];
  $("#pictures").replaceChildren();
  if (user !== null) attempt(showAll);
});

$("#with-email").onsubmit = (event) => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    await corbel.auth[event.submitter.value](Object.fromEntries(new FormData(form)));
    form.reset();
  });
};

$("#sign-out").onclick = () => attempt(() => corbel.auth.signOut());

$("#file").onchange = ({ target }) => {
  const [file] = target.files;
  target.value = ""; // The same file may be chosen again.
  if (file) attempt(() => upload(file));
};

$("#stop").onclick = stop;

async function upload(file) {
  stopping = new AbortController();
  $("#name").textContent = file.name;
  onProgress(0, file.size);
  busy(true);
  try {
    await corbel.files.upload(file, { onProgress, signal: stopping.signal });
    await showAll();
    showMessage(`${file.name} is uploaded.`);
  } finally {
    busy(false);
  }
}

function onProgress(sent, size) {
  Object.assign($("#progress"), { max: size, value: sent });
  $("#percent").textContent = `${Math.floor(100 * sent / size)} %`;
}

function busy(isBusy) {
  $("#choose").hidden = isBusy;
  $("#sending").hidden = !isBusy;
}

/** Shows whether the upload waits for the network, after which it continues by itself. */
const showNetwork = () => $("#waiting").hidden = navigator.onLine;
for (const event of ["offline", "online"]) globalThis.addEventListener(event, showNetwork);

async function showAll() {
  const { items } = await corbel.files.list({ limit: 20 });
  $("#pictures").replaceChildren(...items.map(rowOf));
}

/** Returns a row. `sizesUrl` answers any size of a picture, so that a phone loads a small one. */
function rowOf({ filename, sizesUrl, size }) {
  const row = $("#row").content.cloneNode(true);
  row.querySelector("strong").textContent = filename;
  row.querySelector("small").textContent = `${Math.ceil(size / 1024)} kB`;
  for (const [i, width] of WIDTHS.entries()) {
    const picture = row.querySelectorAll("img")[i];
    picture.src = `${sizesUrl}?w=${width}&format=auto`;
    picture.alt = `${filename}, ${width} pixels wide`;
  }
  return row;
}

async function attempt(work) {
  showMessage("");
  try {
    await work();
  } catch (error) {
    showMessage(error.message, true);
  }
}

function showMessage(text, isAlarm = false) {
  $("#message").textContent = text;
  $("#message").classList.toggle("alarm", isAlarm);
}
