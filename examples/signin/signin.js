// deno-lint-ignore no-import-prefix -- Every Corbel serves its client.
import { createClient } from "http://localhost:8000/client.js";

const corbel = createClient({ url: "http://localhost:8000", key: "pk_live_…" });
const { auth } = corbel;
const notes = corbel.from("notes");
const $ = (selector) => document.querySelector(selector);

/** Purposes of codes, by their names in the links of mails. */
const PURPOSES = {
  verify: {
    button: "Verify",
    request: (email) => auth.resendVerification(email),
    async use({ email, code, password }) {
      // A session proves who signed up; without a session, the password does.
      const { passwordDropped } = await auth.verifyEmail({
        email,
        code,
        password: password || undefined,
      });
      showMessage(
        passwordDropped
          ? "Your e-mail is verified. Choose a password with “I forgot my password”."
          : "Your e-mail is verified.",
      );
    },
  },
  resetPassword: {
    button: "Set the password",
    request: (email) => auth.requestPasswordReset(email),
    async use({ email, code, newPassword }) {
      await auth.resetPassword({ email, code, newPassword });
      showMessage("Your new password is set: sign in with it.");
    },
  },
  code: {
    button: "Sign in",
    request: (email) => auth.requestCode(email),
    use: ({ email, code }) => auth.signInWithCode({ email, code }),
  },
};

/** Purpose and address of the code that the page asks for; null if it asks for none. */
let awaited = null;

function awaitCode(purpose, email, { code = "", password = "" } = {}) {
  awaited = { purpose, email };
  const form = $("#code form");
  form.reset();
  form.elements.code.value = code;
  form.elements.password.value = password;
  const isReset = purpose === "resetPassword";
  $("#new-password").hidden = !isReset;
  form.elements.newPassword.disabled = !isReset;
  $("#sent-to").textContent = email;
  $("#code .main").textContent = PURPOSES[purpose].button;
}

/** Requests a code. The answer is the same for all addresses, and each gets one code a minute. */
async function requestCode(purpose, email) {
  await PURPOSES[purpose].request(email);
  awaitCode(purpose, email);
  showMessage("If a user has this e-mail, a code is on its way.");
}

/**
 * Fills in the code of a mail's link. Only the button uses it, because mail programs open links
 * too.
 */
function takeLink() {
  const query = new URLSearchParams(location.search);
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  history.replaceState(null, "", "/");
  const [purpose, email] = [query.get("purpose"), query.get("email")];
  if (!Object.hasOwn(PURPOSES, purpose) || !email) {
    throw new Error("This link is for another page.");
  }
  $("#with-email").elements.email.value = email;
  awaitCode(purpose, email, { code: code ?? "" });
}

const enter = {
  async signUp(credentials) {
    await auth.signUp(credentials);
    awaitCode("verify", credentials.email, credentials);
  },
  async signIn(credentials) {
    try {
      await auth.signIn(credentials);
    } catch (error) {
      if (error.code !== "EMAIL_NOT_VERIFIED") throw error;
      // A code was sent, unless one was sent within the last minute.
      awaitCode("verify", credentials.email, credentials);
    }
  },
};

/** Shows one of the three parts of the page once the session is known. */
async function show() {
  await auth.ready;
  $("#code").hidden = awaited === null;
  $("#own-password").hidden = awaited?.purpose !== "verify" || auth.user !== null;
  $("#signed-out").hidden = awaited !== null || auth.user !== null;
  $("#signed-in").hidden = awaited !== null || auth.user === null;
}

async function showNotes() {
  const { user } = auth;
  const { items } = await notes.list({ limit: 20 });
  if (auth.user?._id !== user._id) return;
  $("#notes").replaceChildren(...items.map(({ text }) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
  $("#no-notes").hidden = items.length > 0;
}

function showMessage(text, isAlarm = false) {
  $("#message").textContent = text;
  $("#message").classList.toggle("alarm", isAlarm);
}

const showError = ({ message }) => showMessage(message, true);

/** Runs an action, shows an error if it fails, and updates the page. */
async function attempt(work) {
  showMessage("");
  try {
    await work();
  } catch (error) {
    showError(error);
  }
  await show();
}

/** Called for sign-ins and sign-outs in other tabs too, and when the session ends. */
auth.onChange((user) => {
  show();
  $("#notes").replaceChildren();
  if (user === null) return;
  $("#name").textContent = user.name ?? user.username ?? "You";
  $("#email").textContent = user.email ?? "";
  const avatar = $("#avatar");
  avatar.hidden = true;
  avatar.onload = () => avatar.hidden = false;
  if (user.avatarUrl) avatar.src = user.avatarUrl;
  showNotes().catch(showError);
});

for (const button of document.querySelectorAll("[data-provider]")) {
  button.onclick = () => auth.signInWith(button.dataset.provider);
}

$("#with-email").onsubmit = (event) => {
  event.preventDefault();
  const { email, password } = event.target.elements;
  attempt(async () => {
    await enter[event.submitter.value]({ email: email.value, password: password.value });
    password.value = "";
  });
};

for (const button of document.querySelectorAll("[data-purpose]")) {
  button.onclick = () => {
    const { email } = $("#with-email").elements;
    if (!email.reportValidity()) return;
    attempt(() => requestCode(button.dataset.purpose, email.value));
  };
}

$("#code form").onsubmit = (event) => {
  event.preventDefault();
  const { code, password, newPassword } = event.target.elements;
  attempt(async () => {
    const { purpose, email } = awaited;
    await PURPOSES[purpose].use({
      email,
      code: code.value.trim(),
      password: password.value,
      newPassword: newPassword.value,
    });
    awaited = null;
  });
};

$("#another-code").onclick = () => attempt(() => requestCode(awaited.purpose, awaited.email));

$("#no-code").onclick = () => attempt(() => awaited = null);

$("#refresh").onclick = () =>
  attempt(async () => {
    const token = await auth.token({ renew: true });
    if (token === null) throw new Error("You were signed out. Sign in again.");
    await showNotes();
    const minutes = Math.round((new Date(token.expiresAt) - Date.now()) / 60_000);
    showMessage(`A new access token, good for ${minutes} minutes.`);
  });

$("#sign-out").onclick = () => attempt(() => auth.signOut());

$("#new-note").onsubmit = (event) => {
  event.preventDefault();
  const form = event.target;
  attempt(async () => {
    await notes.create({ text: form.elements.text.value });
    await showNotes();
    form.reset();
  });
};

await attempt(async () => {
  if (location.pathname === "/auth/callback") await auth.completeSignIn();
  if (location.pathname === "/auth/verify") takeLink();
});
