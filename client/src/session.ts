import { browser, isPage, keep, kept, type Locks } from "./browser.ts";
import { notify } from "./callbacks.ts";
import { isRefusal } from "./errors.ts";
import { pause } from "./pause.ts";
import type { TokenSource, Transport } from "./transport.ts";

// deno-lint-ignore no-explicit-any -- The types of the client say what a user is.
export type User = any;

/** Who is signed in, and by what. */
export interface Session {
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Null where a cookie holds it. */
  readonly refreshToken: string | null;
  readonly user: User;
}

/** Renewed so long before it expires: what is asked takes its time, and clocks differ. */
const EARLY_MS = 15_000;

const TOLD_MS = 100;

/** The longest pause between two attempts to restore a session. */
const PAUSE_MS_MAX = 30_000;

/** Marks in local storage: there is a cookie, or there is one that the server has yet to end. */
const SIGNED_IN = "signed in";
const SIGNED_OUT = "signed out";

/** What the server answers of a session. */
export interface SessionData {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly refreshToken?: string;
}

/**
 * The session of a client: in memory, and told to the other tabs of its site, so that all of them
 * renew it once and are signed out together.
 */
export class SessionKeeper implements TokenSource {
  readonly #transport: Transport;
  /** Of the project: clients of one project in several tabs have one session. */
  readonly name: string;
  readonly usesCookie: boolean;
  readonly #tabs: BroadcastChannel | null;
  readonly #listeners = new Set<(user: User | null) => void>();
  readonly ready: Promise<User | null>;
  readonly #closed = new AbortController();
  #becomeReady!: (user: User | null) => void;
  #session: Session | null = null;
  /** The call in flight that opens a session or ends one. */
  #renewing: Promise<void> | null = null;
  /** Whether it is known who is signed in. */
  #isKnown = false;
  /** Called when another tab tells something. */
  #told: () => void = () => {};

  constructor(transport: Transport, name: string, usesCookie: boolean) {
    this.#transport = transport;
    this.name = `corbel ${name}`;
    this.usesCookie = usesCookie;
    this.#tabs = usesCookie && isPage ? new BroadcastChannel(this.name) : null;
    this.#tabs?.addEventListener("message", ({ data }) => this.#take(data));
    this.ready = new Promise((resolve) => this.#becomeReady = resolve);
    this.#restore();
  }

  get user(): User | null {
    return this.#session?.user ?? null;
  }

  get refreshToken(): string | null {
    return this.#session?.refreshToken ?? null;
  }

  /** The token of the moment, and when it runs out. */
  get access(): { accessToken: string; expiresAt: string } | null {
    if (this.#session === null) return null;
    const { accessToken, expiresAt } = this.#session;
    return { accessToken, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Headers and body of calls about the session. */
  get ofSession(): { readonly isOfSession: true; readonly headers: Record<string, string> } {
    return {
      isOfSession: true,
      headers: this.usesCookie ? {} : { "x-refresh-token-mode": "header" },
    };
  }

  /** From now on this is the session, in all tabs; null for none. */
  set(session: Session | null, mark = session && SIGNED_IN): void {
    if (this.usesCookie) keep("localStorage", this.name, mark);
    this.#tabs?.postMessage(session);
    this.#take(session);
  }

  open({ accessToken, expiresIn, refreshToken = undefined }: SessionData, user: User): void {
    const expiresAt = Date.now() + expiresIn * 1000;
    this.set({ accessToken, expiresAt, refreshToken: refreshToken ?? null, user });
  }

  /** What the user has changed of themselves. */
  update(user: User): void {
    if (this.#session !== null) this.set({ ...this.#session, user });
  }

  /**
   * Ends the session. If the server does not answer, this device forgets the session all the same,
   * and the next page of the site has the server end it.
   */
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

  /** Throws if the session cannot be restored: a call must not be made without its user. */
  async token(): Promise<string | null> {
    if (!this.#isKnown) await this.renew(null);
    const session = this.#session;
    if (session === null) return null;
    if (session.expiresAt - EARLY_MS < Date.now()) await this.renew(session.accessToken);
    return this.#session?.accessToken ?? null;
  }

  /** Once for all who ask at the same time, in whichever tab. */
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
      // What another tab has renewed is told a moment after it lets go, or before.
      const told = new Promise<void>((resolve) => this.#told = resolve);
      if (this.#session === session) await Promise.race([told, pause(TOLD_MS)]);
      await this.#renewOnce(session);
    });
  }

  /** Waits for an answer that opens or ends a session: the browser keeps the cookie that comes last. */
  async settled(): Promise<void> {
    await this.#renewing?.catch(() => {});
  }

  close(): void {
    this.#closed.abort();
    this.#listeners.clear();
    this.#tabs?.close();
  }

  /** Unless another tab has done it meanwhile, or has signed out. */
  async #renewOnce(session: Session | null): Promise<void> {
    if (this.#session !== session) return;
    try {
      const { refreshToken = null } = session ?? {};
      const renewed: SessionData = await this.#transport.data({
        method: "POST",
        path: "/api/userAuth/refresh-token",
        body: refreshToken === null ? {} : { refreshToken },
        isRepeatable: true, // What is asked again within 10 s is answered again.
        ...this.ofSession,
      });
      this.open(renewed, session?.user ?? await this.userOf(renewed.accessToken));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.set(null);
    }
  }

  /** Whose token it is, whoever is signed in. */
  userOf(accessToken: string): Promise<User> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return this.#transport.data({ path: "/api/userAuth/me", headers, isOfSession: true });
  }

  /** Resolves to the mark that is left: none unless the server has yet to end the session. */
  async #logout(): Promise<string | null> {
    try {
      await this.#transport.data({
        method: "POST",
        path: "/api/userAuth/logout",
        body: this.refreshToken === null ? {} : { refreshToken: this.refreshToken },
        ...this.ofSession,
      });
    } catch (error) {
      if (!isRefusal(error)) return SIGNED_OUT;
    }
    return null;
  }

  /** A mark says that there is a cookie, which no script can see, so that strangers cause no call. */
  #restore(): void {
    const mark = this.usesCookie ? kept("localStorage", this.name) : null;
    if (mark === SIGNED_IN) return void this.#restoreCookie();
    this.#take(null);
    if (mark !== SIGNED_OUT) return;
    this.#renewing = this.#logout().then((left) => {
      this.#renewing = null;
      // Another tab may have signed in since.
      if (kept("localStorage", this.name) === SIGNED_OUT) keep("localStorage", this.name, left);
    });
  }

  /** Retries until the server answers: while it is unreachable, the session is kept. */
  async #restoreCookie(): Promise<void> {
    const { signal } = this.#closed;
    for (let failures = 0; !signal.aborted; failures++) {
      await this.renew(null).catch(() => {});
      if (this.#isKnown) return;
      const pauseMs = Math.min(500 * 2 ** failures, PAUSE_MS_MAX) * (1 + Math.random() / 2);
      await pause(pauseMs, signal).catch(() => {});
    }
  }

  #take(session: Session | null): void {
    this.#told();
    const before = this.#isKnown ? JSON.stringify(this.user) : null;
    this.#session = session;
    this.#isKnown = true;
    this.#becomeReady(this.user);
    if (JSON.stringify(this.user) === before) return;
    for (const listener of this.#listeners) notify(() => listener(this.user));
  }
}
