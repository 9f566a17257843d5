import { browser, isPage, keep, kept, type Locks } from "./browser.ts";
import { CorbelError } from "./errors.ts";
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
  #session: Session | null = null;
  #renewing: Promise<void> | null = null;
  #restoring: Promise<void> | null = null;
  #isKnown = false;
  /** Called when another tab tells something. */
  #told: () => void = () => {};

  constructor(transport: Transport, name: string, usesCookie: boolean) {
    this.#transport = transport;
    this.name = `corbel ${name}`;
    this.usesCookie = usesCookie;
    this.#tabs = usesCookie && isPage ? new BroadcastChannel(this.name) : null;
    this.#tabs?.addEventListener("message", ({ data }) => this.#take(data));
    this.ready = this.#restore();
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
  set(session: Session | null): void {
    if (this.usesCookie) keep("localStorage", this.name, session && "signed in");
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

  onChange(listener: (user: User | null) => void): () => void {
    this.#listeners.add(listener);
    if (this.#isKnown) queueMicrotask(() => this.#listeners.has(listener) && listener(this.user));
    return () => this.#listeners.delete(listener);
  }

  async token(): Promise<string | null> {
    await this.#restoring;
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

  /** Until no answer is waited for that opens a session: the browser keeps the cookie that comes last. */
  async settled(): Promise<void> {
    await this.ready;
    await this.#renewing?.catch(() => {});
  }

  close(): void {
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
      if (!(error instanceof CorbelError) || error.status !== 401) throw error;
      this.set(null);
    }
  }

  /** Whose token it is, whoever is signed in. */
  userOf(accessToken: string): Promise<User> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return this.#transport.data({ path: "/api/userAuth/me", headers, isOfSession: true });
  }

  /** The mark says that there is a cookie, which no script can see, so that strangers cause no call. */
  async #restore(): Promise<User | null> {
    if (this.usesCookie && kept("localStorage", this.name) !== null) {
      // What fails without an answer leaves the mark: it may go well the next time.
      this.#restoring = Promise.resolve().then(() => this.renew(null)).catch(() => {});
      await this.#restoring;
      this.#restoring = null;
    }
    this.#isKnown = true;
    this.#tell();
    return this.user;
  }

  #take(session: Session | null): void {
    this.#told();
    const before = JSON.stringify(this.user);
    this.#session = session;
    if (this.#isKnown && JSON.stringify(this.user) !== before) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.user);
  }
}
