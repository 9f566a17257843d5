const setting = (name) => document.querySelector(`meta[name=corbel-${name}]`).content;
const SERVER = setting("server");
const KEY = setting("key");

/** Kept for this tab alone, from the moment it leaves for the provider until it returns. */
const STATE = "corbel.state";
/** That there is a refresh cookie, which this page cannot see, so that strangers cause no call. */
const SIGNED_IN = "corbel.signedIn";

/** The access token: in memory alone, where it ends with the page. */
let accessToken = null;

const $ = (selector) => document.querySelector(selector);

// 1. Leave for the provider, with a state that nobody else can know.

function signIn(provider) {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const state = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(STATE, state);
  const query = new URLSearchParams({ "x-api-key": KEY, state });
  location.assign(`${SERVER}/api/userAuth/social/${provider}/start?${query}`);
}

// 2. Return: clear the address before anything else, and refuse a sign-in that was not begun here.

/** What a return brought. Throws what to tell the user. */
function takeReturn() {
  const query = new URLSearchParams(location.search);
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  history.replaceState(null, "", "/");
  const expected = sessionStorage.getItem(STATE);
  sessionStorage.removeItem(STATE);
  if (expected === null || query.get("state") !== expected) {
    throw new Error("This sign-in was not begun here, so it was refused. Sign in again.");
  }
  if (query.has("error")) throw new Error(query.get("error"));
  return { token, rtCode: query.get("rtCode") };
}

// 3. Exchange, within 60 seconds. The refresh token comes as a cookie that no script can read.

async function exchange({ token, rtCode }) {
  await userAuth("social/exchange", { token, rtCode });
  accessToken = token;
  localStorage.setItem(SIGNED_IN, "yes");
}

// 4. Call, with the access token; when it has run out, renew it and call again.

async function call(path, init = {}) {
  const attempt = () =>
    send(path, { ...init, headers: { authorization: `Bearer ${accessToken}` } });
  const answer = await attempt();
  if (answer.status !== 401) return answer.data();
  await refresh();
  return (await attempt()).data();
}

// 5. Refresh and sign out. Both are told by the cookie whose session it is.

let refreshing = null;

/** Calls at once share one refresh. */
function refresh() {
  refreshing ??= renew().finally(() => refreshing = null);
  return refreshing;
}

async function renew() {
  try {
    const renewed = await userAuth("refresh-token");
    accessToken = renewed.accessToken;
    return renewed;
  } catch (error) {
    if (error.status !== 401) throw error;
    forget();
    throw new Error("You were signed out. Sign in again.");
  }
}

async function signOut() {
  await userAuth("logout");
  forget();
}

function forget() {
  accessToken = null;
  localStorage.removeItem(SIGNED_IN);
}

/** A call about the session itself: the browser sends and keeps its cookie. */
async function userAuth(path, body = {}) {
  const answer = await send(`/api/userAuth/${path}`, {
    method: "POST",
    credentials: "include",
    body: JSON.stringify(body),
  });
  return answer.data();
}

async function send(path, init) {
  const response = await fetch(`${SERVER}${path}`, {
    ...init,
    headers: {
      ...init.headers,
      "x-api-key": KEY,
      ...(init.body && { "content-type": "application/json" }),
    },
  });
  const { success, data, message } = await response.json();
  return {
    status: response.status,
    data() {
      if (!success) throw Object.assign(new Error(message), { status: response.status });
      return data;
    },
  };
}

// The page itself.

async function show() {
  const isSignedIn = accessToken !== null;
  $("#signed-out").hidden = isSignedIn;
  $("#signed-in").hidden = !isSignedIn;
  if (!isSignedIn) return;
  const [user, notes] = await Promise.all([
    call("/api/userAuth/me"),
    call("/api/data/notes?sort=-createdAt&limit=20"),
  ]);
  $("#name").textContent = user.name ?? user.username ?? "You";
  $("#email").textContent = user.email ?? "";
  const avatar = $("#avatar");
  avatar.onload = () => avatar.hidden = false;
  if (user.avatarUrl) avatar.src = user.avatarUrl;
  $("#notes").replaceChildren(...notes.items.map(({ text }) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  $("#no-notes").hidden = notes.items.length > 0;
}

function tell(text, isAlarm = false) {
  $("#message").textContent = text;
  $("#message").classList.toggle("alarm", isAlarm);
}

/** Does something, shows what is so afterwards, and tells what went wrong. */
async function attempt(work) {
  tell("");
  try {
    await work();
    await show();
  } catch (error) {
    tell(error.message, true);
    if (accessToken === null) await show();
  }
}

for (const button of document.querySelectorAll("[data-provider]")) {
  button.addEventListener("click", () => signIn(button.dataset.provider));
}

$("#refresh").addEventListener("click", () =>
  attempt(async () => {
    const { expiresIn } = await refresh();
    tell(`A new access token, good for ${expiresIn / 60} minutes.`);
  }));

$("#sign-out").addEventListener("click", () => attempt(signOut));

$("#new-note").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    const body = JSON.stringify({ text: form.elements.text.value });
    await call("/api/data/notes", { method: "POST", body });
    form.reset();
  });
});

await attempt(async () => {
  if (location.pathname === "/auth/callback") await exchange(takeReturn());
  else if (localStorage.getItem(SIGNED_IN)) await refresh();
});
