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
  const { status } = response;
  const { success, data, message, code } = await response.json();
  return {
    status,
    data() {
      if (!success) throw Object.assign(new Error(message), { status, code });
      return data;
    },
  };
}

// By e-mail: a password or a code takes the place of steps 1 to 3.

/** Makes or opens a session, unless the answer is that the e-mail must be verified first. */
async function enter(path, body) {
  const session = await userAuth(path, body);
  if (session.verificationRequired) return;
  accessToken = session.accessToken;
  localStorage.setItem(SIGNED_IN, "yes");
}

async function signUp({ email, password }) {
  await enter("signup", { email, password });
  awaitCode("verify", email);
}

async function logIn({ email, password }) {
  try {
    await enter("login", { email, password });
  } catch (error) {
    if (error.code !== "EMAIL_NOT_VERIFIED") throw error;
    awaitCode("verify", email); // One was sent, if none was within a minute.
  }
}

/** What codes are for, by the names in the links of mails. */
const PURPOSES = {
  verify: {
    request: "resend-verification-otp",
    button: "Verify",
    async use({ email, otp }) {
      await userAuth("verify-email", { email, otp });
      tell("Your e-mail is verified.");
    },
  },
  resetPassword: {
    request: "request-password-reset",
    button: "Set the password",
    async use({ email, otp, newPassword }) {
      await userAuth("reset-password", { email, otp, newPassword });
      forget(); // All sessions ended.
      tell("Your new password is set: sign in with it.");
    },
  },
  code: {
    request: "code/request",
    button: "Sign in",
    use: ({ email, otp }) => enter("code/verify", { email, otp }),
  },
};

/** What the code that is asked for is for, and where it was sent. Null if none is asked for. */
let awaited = null;

function awaitCode(purpose, email, otp = "") {
  awaited = { purpose, email };
  const form = $("#code form");
  form.reset();
  form.elements.otp.value = otp;
  const isReset = purpose === "resetPassword";
  $("#new-password").hidden = !isReset;
  form.elements.newPassword.disabled = !isReset;
  $("#sent-to").textContent = email;
  $("#code .main").textContent = PURPOSES[purpose].button;
}

/** The answer is the same whoever has the address, and within a minute nothing more is sent. */
async function requestCode(purpose, email) {
  const { message } = await userAuth(PURPOSES[purpose].request, { email });
  awaitCode(purpose, email);
  tell(`${message}.`);
}

/** A mail's link fills the code in. Mail programs open links too: only the button uses it. */
function takeLink() {
  const query = new URLSearchParams(location.search);
  const otp = new URLSearchParams(location.hash.slice(1)).get("code");
  history.replaceState(null, "", "/");
  const [purpose, email] = [query.get("purpose"), query.get("email")];
  if (!Object.hasOwn(PURPOSES, purpose) || !email) {
    throw new Error("This link is for another page.");
  }
  $("#with-email").elements.email.value = email;
  awaitCode(purpose, email, otp ?? "");
}

// The page itself.

async function show() {
  const isSignedIn = accessToken !== null;
  $("#code").hidden = awaited === null;
  $("#signed-out").hidden = awaited !== null || isSignedIn;
  $("#signed-in").hidden = awaited !== null || !isSignedIn;
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

$("#with-email").addEventListener("submit", (event) => {
  event.preventDefault();
  const { email, password } = event.target.elements;
  const credentials = { email: email.value, password: password.value };
  attempt(async () => {
    await (event.submitter.value === "signup" ? signUp : logIn)(credentials);
    password.value = "";
  });
});

for (const button of document.querySelectorAll("[data-purpose]")) {
  button.addEventListener("click", () => {
    const { email } = $("#with-email").elements;
    if (!email.reportValidity()) return;
    attempt(() => requestCode(button.dataset.purpose, email.value));
  });
}

$("#code form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { otp, newPassword } = event.target.elements;
  const entered = { otp: otp.value.trim(), newPassword: newPassword.value };
  attempt(async () => {
    await PURPOSES[awaited.purpose].use({ email: awaited.email, ...entered });
    awaited = null;
  });
});

$("#another-code").addEventListener(
  "click",
  () => attempt(() => requestCode(awaited.purpose, awaited.email)),
);

$("#no-code").addEventListener("click", () => attempt(() => awaited = null));

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
  if (location.pathname === "/auth/callback") return await exchange(takeReturn());
  if (location.pathname === "/auth/verify") takeLink();
  if (localStorage.getItem(SIGNED_IN)) await refresh();
});
