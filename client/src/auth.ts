import { browser, readStored, store } from "./browser.ts";
import { CorbelError } from "./errors.ts";
import type { SessionData, SessionKeeper, User } from "./session.ts";
import type { Transport } from "./transport.ts";

interface EmailedCode {
  readonly email: string;
  readonly code: string;
}

/** Name of the state in this tab's storage while the user is at a provider. */
const STATE = "corbel.state";

export class Auth {
  readonly #transport: Transport;
  readonly #session: SessionKeeper;

  constructor(transport: Transport, session: SessionKeeper) {
    this.#transport = transport;
    this.#session = session;
  }

  get user(): User | null {
    return this.#session.user;
  }

  get ready(): Promise<User | null> {
    return this.#session.ready;
  }

  onChange(listener: (user: User | null) => void): () => void {
    return this.#session.onChange(listener);
  }

  async token({ renew = false } = {}): Promise<{ accessToken: string; expiresAt: string } | null> {
    const token = await this.#session.token();
    if (renew && token !== null) await this.#session.renew(token);
    return this.#session.access;
  }

  /** Signs up. An anonymous user becomes the new user, identified by their token. */
  async signUp(user: object): Promise<User | null> {
    await this.#session.waitForRenewal();
    const token = await this.#session.token();
    return await this.#signIn("signup", user, this.user?.isAnonymous ? token : null);
  }

  signIn(credentials: object): Promise<User> {
    return this.#signIn("login", credentials);
  }

  async requestCode(email: string): Promise<void> {
    await this.#post("code/request", { email });
  }

  signInWithCode({ email, code }: EmailedCode): Promise<User> {
    return this.#signIn("code/verify", { email, otp: code });
  }

  signInAnonymously(): Promise<User> {
    return this.#signIn("anonymous", {});
  }

  signInWith(provider: string, { returnTo }: { returnTo?: string } = {}): void {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const state = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    store("sessionStorage", STATE, state);
    const query = new URLSearchParams({ "x-api-key": this.#transport.key, state });
    if (returnTo !== undefined) query.set("return_to", returnTo);
    browser.location.assign(
      this.#transport.address(`/api/userAuth/social/${provider}/start`, query),
    );
  }

  /** Finishes a sign-in with a provider. Clears the address first, because it has a token. */
  async completeSignIn(): Promise<{ user: User; returnTo: string | null } | null> {
    const query = new URLSearchParams(browser.location.search);
    const token = new URLSearchParams(browser.location.hash.slice(1)).get("token");
    const [rtCode, error] = [query.get("rtCode"), query.get("error")];
    if (token === null && error === null) return null;
    browser.history.replaceState(null, "", "/");
    const expected = readStored("sessionStorage", STATE);
    store("sessionStorage", STATE, null);
    if (expected === null || query.get("state") !== expected) {
      const message = "This sign-in was not begun here, so it was refused. Sign in again.";
      throw new CorbelError({ code: "SIGN_IN_PLANTED", message });
    }
    if (error !== null) throw new CorbelError({ code: "SIGN_IN_FAILED", message: error });
    const { refreshToken } = await this.#post("social/exchange", { token, rtCode });
    const user = await this.#session.userOf(token!);
    const session = { accessToken: token!, expiresIn: secondsLeft(token!) };
    const { usesCookie } = this.#session;
    this.#session.open(usesCookie ? session : { ...session, refreshToken }, user);
    return { user, returnTo: query.get("return_to") };
  }

  async signOut(): Promise<void> {
    await this.#session.waitForRenewal();
    await this.#session.end();
  }

  /** Verifies an e-mail. The access token proves that the user signed up on this device. */
  async verifyEmail(
    { email, code, password }: EmailedCode & { password?: string },
  ): Promise<{ passwordDropped: boolean }> {
    const path = "/api/userAuth/verify-email";
    const body = { email, otp: code, password };
    const { passwordDropped = false } = await this.#transport.data({ method: "POST", path, body });
    return { passwordDropped };
  }

  async resendVerification(email: string): Promise<void> {
    await this.#post("resend-verification-otp", { email });
  }

  async requestPasswordReset(email: string): Promise<void> {
    await this.#post("request-password-reset", { email });
  }

  /** Resets the password, which ends all sessions. */
  async resetPassword(
    { email, code, newPassword }: EmailedCode & { newPassword: string },
  ): Promise<void> {
    await this.#post("reset-password", { email, otp: code, newPassword });
    this.#session.set(null);
  }

  async changePassword(passwords: object): Promise<void> {
    const path = "/api/userAuth/change-password";
    await this.#transport.data({ method: "PUT", path, body: passwords });
  }

  async update(changes: object): Promise<User> {
    const path = "/api/userAuth/me";
    const user = await this.#transport.data({ method: "PATCH", path, body: changes });
    this.#session.update(user);
    return user;
  }

  /** Opens a session. Resolves to null if the e-mail must be verified first. */
  async #signIn(path: string, body: object, token: string | null = null): Promise<User | null> {
    const data: SessionData & { user: User; verificationRequired?: boolean } = await this.#post(
      path,
      body,
      token === null ? {} : { authorization: `Bearer ${token}` },
    );
    if (data.verificationRequired) return null;
    this.#session.open(data, data.user);
    return data.user;
  }

  // deno-lint-ignore no-explicit-any -- Callers know the type of the answer.
  async #post(path: string, body: object, headers: Record<string, string> = {}): Promise<any> {
    await this.#session.waitForRenewal();
    const { callOptions } = this.#session;
    return await this.#transport.data({
      method: "POST",
      path: `/api/userAuth/${path}`,
      body,
      ...callOptions,
      headers: { ...callOptions.headers, ...headers },
    });
  }
}

function secondsLeft(token: string): number {
  const claims = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(atob(claims)).exp - Date.now() / 1000;
}
