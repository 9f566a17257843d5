import { liveList } from "./live.js";

const setting = (name) => document.querySelector(`meta[name=corbel-${name}]`).content;
const [SERVER, KEY] = [setting("server"), setting("key")];
const $ = (selector) => document.querySelector(selector);

// Asking Corbel as whoever is signed in.

let accessToken = null;
let refreshing = null;

/** When the access token has run out, gets another by the cookie and asks again. */
async function call(path, init = {}) {
  let answer = await send(path, init);
  if (answer.status === 401 && accessToken !== null) {
    refreshing ??= refresh().finally(() => refreshing = null);
    await refreshing;
    answer = await send(path, init);
  }
  return await dataOf(answer);
}

async function dataOf(answer) {
  const { success, data, message } = await answer.json();
  if (!success) throw Object.assign(new Error(message), { status: answer.status });
  return data;
}

const send = (path, init) =>
  fetch(SERVER + path, {
    ...init,
    headers: {
      "x-api-key": KEY,
      ...(accessToken !== null && { authorization: `Bearer ${accessToken}` }),
      ...(init.body && { "content-type": "application/json" }),
    },
  });

/** Opens or renews a session, of which the browser keeps a refresh token in a cookie. */
async function enter(path, body = {}) {
  const init = { method: "POST", credentials: "include", body: JSON.stringify(body) };
  ({ accessToken } = await dataOf(await send(`/api/userAuth/${path}`, init)));
  localStorage.setItem("corbel.signedIn", "yes");
}

/** What fails without an answer may go well the next time. */
async function refresh() {
  try {
    await enter("refresh-token");
  } catch (error) {
    if (error.status === 401) signedOut();
    throw error;
  }
}

// The page.

let stop = () => {};

function signedIn() {
  $("#signed-out").hidden = true;
  $("#signed-in").hidden = false;
  stop = liveList(call, { collection: "notes", query: "sort=createdAt&limit=1000" }, show);
}

function signedOut() {
  stop();
  accessToken = null;
  localStorage.removeItem("corbel.signedIn");
  $("#connection").textContent = "";
  $("#signed-in").hidden = true;
  $("#signed-out").hidden = false;
}

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

$("#with-email").onsubmit = (event) => {
  event.preventDefault();
  const { email, password } = event.target.elements;
  attempt(async () => {
    await enter(event.submitter.value, { email: email.value, password: password.value });
    password.value = "";
    signedIn();
  });
};

$("#sign-out").onclick = () =>
  attempt(async () => {
    await call("/api/userAuth/logout", { method: "POST", credentials: "include", body: "{}" });
    signedOut();
  });

async function attempt(work) {
  $("#message").textContent = "";
  try {
    await work();
  } catch (error) {
    $("#message").textContent = error.message;
  }
}

// The mark says that there is a cookie, which no script can see.
if (localStorage.getItem("corbel.signedIn")) attempt(() => refresh().then(signedIn));
else signedOut();
