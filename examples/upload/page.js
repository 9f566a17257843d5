import { attempt, call, openSession, tell } from "../common/session.js";
import { upload } from "./upload.js";

const $ = (selector) => document.querySelector(selector);

/** The widths that each picture is shown in. */
const WIDTHS = [96, 320, 1024];

let stopping = new AbortController();

openSession({
  signedIn: () => attempt(showAll),
  signedOut() {
    stopping.abort();
    $("#pictures").replaceChildren();
  },
});

async function showAll() {
  const { items } = await call("/api/storage/files?limit=20");
  $("#pictures").replaceChildren(...items.map(rowOf));
}

$("#file").onchange = ({ target }) => {
  const [file] = target.files;
  target.value = ""; // The same file may be chosen again.
  if (file) attempt(() => send(file));
};

$("#stop").onclick = () => stopping.abort();

async function send(file) {
  stopping = new AbortController();
  const { signal } = stopping;
  const progress = (bytes, isWaiting) => {
    $("#progress").max = file.size;
    $("#progress").value = bytes;
    const percent = `${Math.floor(100 * bytes / file.size)} %`;
    $("#percent").textContent = isWaiting ? `${percent}, waiting for the network` : percent;
  };
  $("#name").textContent = file.name;
  busy(true);
  try {
    const path = await upload(call, file, { progress, signal });
    $("#pictures").prepend(rowOf(await call(`/api/storage/file?${new URLSearchParams({ path })}`)));
    tell(`${file.name} is uploaded.`);
  } finally {
    busy(false);
  }
}

function busy(isBusy) {
  $("#choose").hidden = isBusy;
  $("#sending").hidden = !isBusy;
}

/** `sizesUrl` answers any size of a picture: the smallest that is needed is what a phone loads. */
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
