/**
 * Signs a user in by e-mail and password, and asks Corbel as them, for pages that are about something
 * else: as short as it can be. examples/signin is a complete page for signing in.
 */

const setting = (name) => document.querySelector(`meta[name=corbel-${name}]`).content;
const [SERVER, KEY] = [setting("server"), setting("key")];
const $ = (selector) => document.querySelector(selector);

let accessToken = null;
let refreshing = null;
let told = { signedIn() {}, signedOut() {} };

/** When the access token has run out, gets another by the cookie and asks again. */
export async function call(path, init = {}) {
  let answer = await send(path, init);
  if (answer.status === 401 && accessToken !== null) {
    refreshing ??= refresh().finally(() => refreshing = null);
    await refreshing;
    answer = await send(path, init);
  }
  return await dataOf(answer);
}

async function dataOf(answer) {
  const { success, data, message, code } = await answer.json();
  if (!success) throw Object.assign(new Error(message), { status: answer.status, code });
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

function signedIn() {
  $("#signed-out").hidden = true;
  $("#signed-in").hidden = false;
  told.signedIn();
}

function signedOut() {
  accessToken = null;
  localStorage.removeItem("corbel.signedIn");
  told.signedOut();
  $("#signed-in").hidden = true;
  $("#signed-out").hidden = false;
}

/** Shows one of the page's two sections from now on, and tells the page which. */
export function openSession(page) {
  told = page;
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
  // The mark says that there is a cookie, which no script can see.
  if (localStorage.getItem("corbel.signedIn")) attempt(() => refresh().then(signedIn));
  else signedOut();
}

/** Says on the page what went wrong. */
export async function attempt(work) {
  tell("");
  try {
    await work();
  } catch (error) {
    tell(error.message, true);
  }
}

export function tell(text, isAlarm = false) {
  $("#message").textContent = text;
  $("#message").classList.toggle("alarm", isAlarm);
}
