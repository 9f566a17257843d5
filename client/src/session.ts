import { browser, isPage, type Locks, readStored, store } from "./browser.ts";
import { notify } from "./callbacks.ts";
import { isRefusal } from "./errors.ts";
import { pause } from "./pause.ts";
import type { TokenSource, Transport } from "./transport.ts";

// deno-lint-ignore no-explicit-any -- `client.d.ts` declares users.
export type User = any;

export interface Session {
  readonly accessToken: string;
  /** Expiry of the access token, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Null if it is in a cookie. */
  readonly refreshToken: string | null;
  readonly user: User;
}

/** Milliseconds before its expiry at which a token is renewed, for delays and clock skew. */
const RENEW_BEFORE_MS = 15_000;

const ANNOUNCEMENT_MS = 100;

/** Maximum milliseconds between two attempts to restore a session. */
const PAUSE_MS_MAX = 30_000;

/** Marks in local storage: a cookie exists, or its session still has to be ended. */
const SIGNED_IN = "signed in";
const SIGNED_OUT = "signed out";

export interface SessionData {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly refreshToken?: string;
}

/** The session in memory, shared with other tabs, which renew it once and sign out together. */
export class SessionKeeper implements TokenSource {
  readonly #transport: Transport;
  /** Name of the project's session, which clients in several tabs share. */
  readonly name: string;
  readonly usesCookie: boolean;
  readonly #tabs: BroadcastChannel | null;
  readonly #listeners = new Set<(user: User | null) => void>();
  readonly ready: Promise<User | null>;
  readonly #closed = new AbortController();
  #resolveReady!: (user: User | null) => void;
  #session: Session | null = null;
  /** The pending request that opens or ends a session. */
  #renewing: Promise<void> | null = null;
  /** Whether the session has been restored or found missing. */
  #isKnown = false;
  /** Called when another tab announces a session. */
  #onAnnouncement: () => void = () => {};

  constructor(transport: Transport, name: string, usesCookie: boolean) {
    this.#transport = transport;
    this.name = `corbel ${name}`;
    this.usesCookie = usesCookie;
    this.#tabs = usesCookie && isPage ? new BroadcastChannel(this.name) : null;
    this.#tabs?.addEventListener("message", ({ data }) => this.#apply(data));
    this.ready = new Promise((resolve) => this.#resolveReady = resolve);
    this.#restore();
  }

  get user(): User | null {
    return this.#session?.user ?? null;
  }

  get refreshToken(): string | null {
    return this.#session?.refreshToken ?? null;
  }

  get access(): { accessToken: string; expiresAt: string } | null {
    if (this.#session === null) return null;
    const { accessToken, expiresAt } = this.#session;
    return { accessToken, expiresAt: new Date(expiresAt).toISOString() };
  }

  get callOptions(): { readonly isOfSession: true; readonly headers: Record<string, string> } {
    return {
      isOfSession: true,
      headers: this.usesCookie ? {} : { "x-refresh-token-mode": "header" },
    };
  }

  /** Sets the session in all tabs; null signs out. */
  set(session: Session | null, mark = session && SIGNED_IN): void {
    if (this.usesCookie) store("localStorage", this.name, mark);
    this.#tabs?.postMessage(session);
    this.#apply(session);
  }

  open({ accessToken, expiresIn, refreshToken = undefined }: SessionData, user: User): void {
    const expiresAt = Date.now() + expiresIn * 1000;
    this.set({ accessToken, expiresAt, refreshToken: refreshToken ?? null, user });
  }

  update(user: User): void {
    if (this.#session !== null) this.set({ ...this.#session, user });
  }

  /** If the server does not answer, the next page of the site asks it to end the session. */
  async end(): Promise<void> {
    this.set(null, await this.#logout());
  }

  onChange(listener: (user: User | null) => void): () => void {
    this.#listeners.add(listener);
    if (this.#isKnown) {
      queueMicrotask(() => this.#listeners.has(listener) && notify(() => listener(this.user)));
    }
    return () => this.#listeners.delete(listener);
  }

  /** Resolves to the access token. Throws if the session cannot be restored. */
  async token(): Promise<string | null> {
    if (!this.#isKnown) await this.renew(null);
    const session = this.#session;
    if (session === null) return null;
    if (session.expiresAt - RENEW_BEFORE_MS < Date.now()) await this.renew(session.accessToken);
    return this.#session?.accessToken ?? null;
  }

  /** Renews the session once for all concurrent callers in all tabs. */
  async renew(refused: string | null): Promise<void> {
    const session = this.#session;
    if (refused !== null && session?.accessToken !== refused) return;
    const { locks } = browser.navigator ?? {};
    await (this.#renewing ??=
      (this.#tabs && locks ? this.#renewInTurn(locks, session) : this.#renewOnce(session)).finally(
        () => this.#renewing = null,
      ));
  }

  async #renewInTurn(locks: Locks, session: Session | null): Promise<void> {
    const isDone = await locks.request(this.name, { ifAvailable: true }, async (lock) => {
      if (lock === null) return false;
      await this.#renewOnce(session);
      return true;
    });
    if (isDone) return;
    await locks.request(this.name, {}, async () => {
      // The announcement of another tab may arrive shortly after it releases the lock.
      const announced = new Promise<void>((resolve) => this.#onAnnouncement = resolve);
      if (this.#session === session) await Promise.race([announced, pause(ANNOUNCEMENT_MS)]);
      await this.#renewOnce(session);
    });
  }

  /** Waits for a pending change, because the browser keeps the cookie that arrives last. */
  async waitForRenewal(): Promise<void> {
    await this.#renewing?.catch(() => {});
  }

  close(): void {
    this.#closed.abort();
    this.#listeners.clear();
    this.#tabs?.close();
  }

  /** Renews the session unless another tab has renewed or ended it. */
  async #renewOnce(session: Session | null): Promise<void> {
    if (this.#session !== session) return;
    try {
      const { refreshToken = null } = session ?? {};
      const renewed: SessionData = await this.#transport.data({
        method: "POST",
        path: "/api/userAuth/refresh-token",
        body: refreshToken === null ? {} : { refreshToken },
        isRepeatable: true, // The server answers a repeated request within 10 s again.
        ...this.callOptions,
      });
      this.open(renewed, session?.user ?? await this.userOf(renewed.accessToken));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.set(null);
    }
  }

  userOf(accessToken: string): Promise<User> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return this.#transport.data({ path: "/api/userAuth/me", headers, isOfSession: true });
  }

  /** Ends the session. Resolves to a mark if the server still has to end it, otherwise null. */
  async #logout(): Promise<string | null> {
    try {
      await this.#transport.data({
        method: "POST",
        path: "/api/userAuth/logout",
        body: this.refreshToken === null ? {} : { refreshToken: this.refreshToken },
        ...this.callOptions,
      });
    } catch (error) {
      if (!isRefusal(error)) return SIGNED_OUT;
    }
    return null;
  }

  /** Restores the session if a mark says that a cookie exists: new visitors cause no request. */
  #restore(): void {
    const mark = this.usesCookie ? readStored("localStorage", this.name) : null;
    if (mark === SIGNED_IN) return void this.#restoreCookie();
    this.#apply(null);
    if (mark !== SIGNED_OUT) return;
    this.#renewing = this.#logout().then((left) => {
      this.#renewing = null;
      // Another tab may have signed in since.
      if (readStored("localStorage", this.name) === SIGNED_OUT) {
        store("localStorage", this.name, left);
      }
    });
  }

  /** Restores the session, with retries until the server answers. */
  async #restoreCookie(): Promise<void> {
    const { signal } = this.#closed;
    for (let failures = 0; !signal.aborted; failures++) {
      await this.renew(null).catch(() => {});
      if (this.#isKnown) return;
      const pauseMs = Math.min(500 * 2 ** failures, PAUSE_MS_MAX) * (1 + Math.random() / 2);
      await pause(pauseMs, signal).catch(() => {});
    }
  }

  #apply(session: Session | null): void {
    this.#onAnnouncement();
    const before = this.#isKnown ? JSON.stringify(this.user) : null;
    this.#session = session;
    this.#isKnown = true;
    this.#resolveReady(this.user);
    if (JSON.stringify(this.user) === before) return;
    for (const listener of this.#listeners) notify(() => listener(this.user));
  }
}
