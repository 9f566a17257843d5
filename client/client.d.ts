/**
 * The client of Corbel, for browsers, Deno, Node.js 20 or newer, and Bun. It has no dependencies.
 *
 * ```ts
 * import { createClient } from "http://localhost:8000/client.js";
 * import type { Project } from "./corbel_types.ts"; // From /api/projects/:projectId/types.ts
 *
 * const corbel = createClient<Project>({ url: "http://localhost:8000", key: "pk_live_…" });
 * const { items } = await corbel.from("posts").list({ where: { views: { gt: 5 } }, limit: 20 });
 * ```
 */

/** The types of one collection, as `types.ts` of a project has them. */
export interface CollectionTypes {
  document: object;
  create: object;
  replace: object;
  patch: object;
  where: object;
  /** Targets of `populate` by path: the name of a collection, or `users` or `files`. */
  populated: object;
}

/** The types of a project, as its `types.ts` has them. */
export interface ProjectTypes {
  collections: Record<string, CollectionTypes>;
  user: object;
  publicUser: object;
  signUp: object;
  userChanges: object;
}

/** A document of a collection without declared types. */
export interface AnyDocument {
  _id: string;
  createdAt: string;
  updatedAt: string;
  isDeleted: boolean;
  deletedAt: string | null;
  // deno-lint-ignore no-explicit-any -- Without a project's types, members can have any type.
  [name: string]: any;
}

type Members = Record<string, unknown>;

/** The types of a project if none are given. */
export interface AnyProject {
  collections: Record<string, {
    document: AnyDocument;
    create: Members;
    replace: Members;
    patch: Members;
    where: Members;
    populated: Record<string, string>;
  }>;
  // deno-lint-ignore no-explicit-any -- As of documents.
  user: { _id: string; email: string | null; name: string | null; [name: string]: any };
  publicUser: AnyProject["user"];
  signUp: { email: string; password: string; [name: string]: unknown };
  userChanges: Members;
}

export interface ClientOptions {
  /** The address of the server: `http://localhost:8000`. */
  url: string;
  /** A project's publishable key, or its secret key on your own server. */
  key: string;
  /**
   * Storage of the refresh token. `cookie`: a cookie that scripts cannot read; the default in
   * pages. `memory`: this client, which forgets it when it ends; the default elsewhere.
   */
  session?: "cookie" | "memory";
  /** Replacement of the global `fetch`. */
  fetch?: typeof fetch;
}

/** Options of a call that can be aborted. */
export interface Abortable {
  signal?: AbortSignal;
}

/**
 * A refusal, or a call without an answer of Corbel. `code` is `NETWORK` and `status` 0 if no answer
 * arrived; `NO_ANSWER_OF_CORBEL` if another program answered, such as a proxy; and `INVALID_VALUE`,
 * `INVALID_ID` or `INVALID_OPTIONS` with status 0 if the client sent no request.
 */
export declare class CorbelError extends Error {
  readonly name: "CorbelError";
  /** Stable code, listed in the reference. */
  readonly code: string;
  readonly status: number;
  /** Id of the request, to quote when you ask for help. */
  readonly requestId: string | null;
  /** Invalid members of the request. */
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  /** Index of the refused operation in a batch. */
  readonly operation: number | null;
  /** Seconds until a retry; null if the server does not say. */
  readonly retryAfter: number | null;
}

/** A file with its metadata, with which `populate` replaces a path. */
export interface PopulatedFile {
  path: string;
  filename: string;
  contentType: string;
  size: number;
  createdAt: string;
  url: string | null;
  sizesUrl: string | null;
  visibility: "public" | "private";
}

type Names<T> = Extract<keyof T, string>;
type Collections<P extends ProjectTypes> = P["collections"];
type First<Path> = Path extends `${infer Name}.${string}` ? Name : Path;

/** A path for `populate`: `author`, `comments(postId)`, or a longer one with dots. */
export type PopulatePath<C extends CollectionTypes> =
  | Names<C["populated"]>
  | `${Names<C["populated"]>}.${string}`;

type Target<P extends ProjectTypes, Name> = Name extends "users" ? P["publicUser"]
  : Name extends "files" ? PopulatedFile
  : Name extends Names<Collections<P>> ? Collections<P>[Name]["document"]
  : unknown;

/** A replaced value, which stays an id if the document may not be seen. */
type Put<Value, T> = Value extends readonly (infer Element)[] ? Array<Put<Element, T>>
  : Value extends string ? Value | T
  : Value;

type Replaced<P extends ProjectTypes, C extends CollectionTypes, D, Path> = {
  [Name in keyof D]: Name extends First<Path> & keyof C["populated"]
    ? Put<D[Name], Target<P, C["populated"][Name]>>
    : D[Name];
};

/** The members that paths such as `comments(postId)` add under the collection's name. */
type Referring<P extends ProjectTypes, C extends CollectionTypes, Path> = {
  [
    Name in First<Path> & keyof C["populated"] as Name extends `${infer Key}(${string})` ? Key
      : never
  ]?: Array<Target<P, C["populated"][Name]>>;
};

type Picked<D, Field> = [Field] extends [never] ? D : Pick<D, (Field | "_id") & keyof D>;

/** A document in the answer of a query with these `fields` and `populate`. */
// deno-lint-ignore corbel/wording -- Published under this name.
export type Shown<
  P extends ProjectTypes,
  C extends CollectionTypes,
  Field = never,
  Path = never,
> = [Path] extends [never] ? Picked<C["document"], Field>
  : Replaced<P, C, Picked<C["document"], Field>, Path> & Referring<P, C, Path>;

export interface Presentation<C extends CollectionTypes, Field, Path> extends Abortable {
  /** Members to include; `_id` is always included. */
  fields?: readonly (Field & Names<C["document"]>)[];
  /** Ids and paths to replace with the documents and files that they refer to. */
  populate?: readonly (Path & PopulatePath<C>)[];
}

export interface Filtering<C extends CollectionTypes> {
  where?: C["where"];
  /** Words to search for in the search fields. */
  search?: string;
  /** Whether to include documents in the trash. */
  includeDeleted?: boolean;
}

export interface ListQuery<C extends CollectionTypes, Field = string, Path = string>
  extends Filtering<C>, Presentation<C, Field, Path> {
  /** `-createdAt`, or several. */
  sort?: string | readonly string[];
  /** 100 if left out, 1,000 at most. */
  limit?: number;
  /** Counted from 1; not together with `cursor`. */
  page?: number;
  /** `nextCursor` or `prevCursor` of a page. */
  cursor?: string;
  total?: "exact" | "none" | "estimate";
}

/** A valid but probably unintended part of a query. */
export interface QueryWarning {
  /** The parameter that the warning refers to. */
  parameter: string;
  message: string;
}

/** Warnings of lists and aggregations. */
export interface Warned {
  /**
   * Warnings of conditions and `fields` with undeclared names. If the server is on this machine,
   * each is also printed once with `console.warn`.
   */
  warnings: QueryWarning[];
}

export interface Page<D> extends Warned {
  items: D[];
  total?: number;
  totalIsEstimate?: boolean;
  page?: number;
  cursor?: string;
  nextCursor: string | null;
  prevCursor: string | null;
  limit: number;
}

export interface AggregateQuery<C extends CollectionTypes> extends Filtering<C>, Abortable {
  /** Fields, or parts of a Date such as `createdAt:day`. */
  group?: readonly string[];
  /** IANA name of the time zone for parts of a Date. */
  timeZone?: string;
  count?: boolean;
  sum?: readonly string[];
  avg?: readonly string[];
  min?: readonly string[];
  max?: readonly string[];
  sort?: string | readonly string[];
  limit?: number;
}

export interface Group {
  key: Record<string, string | number | boolean | null>;
  count?: number;
  sum?: Record<string, number | null>;
  avg?: Record<string, number | null>;
  min?: Record<string, number | string | null>;
  max?: Record<string, number | string | null>;
}

/** Callbacks of a live list. */
export interface LiveHandlers<D> {
  /**
   * Receives the complete list in order, first and after each change, and the `total` of matching
   * documents. An error of a handler is reported as an uncaught error, and the list continues.
   */
  items(items: D[], total: number | undefined): void;
  /** Receives whether changes arrive: false from the loss of a connection until it is restored. */
  connected?(isConnected: boolean): void;
  /**
   * Receives the refusal that ended the list, such as a token that cannot be renewed. Without this
   * handler, the error is reported as an uncaught error.
   */
  error?(error: CorbelError): void;
}

export interface LiveList {
  close(): void;
}

export interface WriteOptions extends Abortable {
  /**
   * The document's last known tag, from `etagOf`. The call is refused if the document has changed
   * since, or if the tag is `undefined`, as it is for a document from a list.
   */
  ifMatch?: string;
}

export interface Collection<P extends ProjectTypes, C extends CollectionTypes> {
  list<const Field extends string = never, const Path extends string = never>(
    query?: ListQuery<C, Field, Path>,
  ): Promise<Page<Shown<P, C, Field, Path>>>;
  /** Iterates over all pages. */
  pages<const Field extends string = never, const Path extends string = never>(
    query?: Omit<ListQuery<C, Field, Path>, "page">,
  ): AsyncIterableIterator<Page<Shown<P, C, Field, Path>>>;
  get<const Field extends string = never, const Path extends string = never>(
    id: string,
    options?: Presentation<C, Field, Path> & { includeDeleted?: boolean },
  ): Promise<Shown<P, C, Field, Path>>;
  /** Creates a document. With an `idempotencyKey`, the request is repeated if no answer arrives. */
  create(
    document: C["create"],
    options?: Abortable & { idempotencyKey?: string; upsert?: Names<C["document"]> },
  ): Promise<C["document"]>;
  createMany(
    documents: readonly C["create"][],
    options?: Abortable & { idempotencyKey?: string },
  ): Promise<string[]>;
  replace(
    id: string,
    document: C["replace"],
    options?: WriteOptions & { upsert?: boolean },
  ): Promise<C["document"]>;
  patch(id: string, changes: C["patch"], options?: WriteOptions): Promise<C["document"]>;
  /** Moves a document to the trash, or with `permanent` and the secret key deletes it. */
  delete(id: string, options?: WriteOptions & { permanent?: boolean }): Promise<void>;
  recover(id: string, options?: Abortable): Promise<C["document"]>;
  count(query?: Filtering<C> & Abortable): Promise<number>;
  aggregate(query: AggregateQuery<C>): Promise<{ groups: Group[]; more: boolean } & Warned>;
  /**
   * Opens a live list, which continues through lost connections and renewed tokens until it is
   * closed or refused. With `fields`, documents also include the fields that they are sorted by.
   */
  live<const Field extends string = never>(
    query: Omit<ListQuery<C, Field, never>, "page" | "cursor" | "populate">,
    handlers: LiveHandlers<Shown<P, C, Field>>,
  ): LiveList;
}

/** A write in a batch, which is executed completely or not at all. */
export type BatchOperation<P extends ProjectTypes> = {
  [Name in Names<Collections<P>>]:
    | { action: "create"; collection: Name; document: Collections<P>[Name]["create"] }
    | {
      action: "replace";
      collection: Name;
      id: string;
      document: Collections<P>[Name]["replace"];
      ifMatch?: string;
    }
    | { action: "upsert"; collection: Name; id: string; document: Collections<P>[Name]["replace"] }
    | {
      action: "patch";
      collection: Name;
      id: string;
      document: Collections<P>[Name]["patch"];
      ifMatch?: string;
    }
    | { action: "delete"; collection: Name; id: string; ifMatch?: string }
    | { action: "recover"; collection: Name; id: string };
}[Names<Collections<P>>];

export interface BatchResult {
  id: string;
  document?: AnyDocument;
}

/** A token to send as `authorization: Bearer …` to your own server, which verifies it. */
export interface AccessToken {
  accessToken: string;
  expiresAt: string;
}

export interface Auth<P extends ProjectTypes> {
  /** The signed-in user; null if there is none or before `ready` resolves. */
  readonly user: P["user"] | null;
  /** Resolves to the user of an earlier visit. Waits while the server cannot be reached. */
  readonly ready: Promise<P["user"] | null>;
  /**
   * Calls the listener when the user is known, and at every change. Returns a function that removes
   * the listener. In a page, errors of a listener are reported as uncaught errors; elsewhere they
   * are printed with `console.error`.
   */
  onChange(listener: (user: P["user"] | null) => void): () => void;
  /** Signs up, or turns an anonymous user into this one. Null if the e-mail must be verified. */
  signUp(user: P["signUp"]): Promise<P["user"] | null>;
  signIn(credentials: { email: string; password: string }): Promise<P["user"]>;
  /** Sends a code for `signInWithCode`. */
  requestCode(email: string): Promise<void>;
  signInWithCode(given: { email: string; code: string }): Promise<P["user"]>;
  signInAnonymously(): Promise<P["user"]>;
  /**
   * Navigates to the provider. The user returns to `/auth/callback` of your site. With `dev`, users
   * choose an identity, on a server that `deno task dev` started.
   */
  signInWith(provider: "github" | "google" | "dev", options?: { returnTo?: string }): void;
  /** Finishes `signInWith` on `/auth/callback`. Null if the page was opened without a sign-in. */
  completeSignIn(): Promise<{ user: P["user"]; returnTo: string | null } | null>;
  /** Signs out. This device forgets the session even if the server cannot be reached. */
  signOut(): Promise<void>;
  /** Returns the token for your own server, with `renew` a new one; null if signed out. */
  token(options?: { renew?: boolean }): Promise<AccessToken | null>;
  /**
   * Verifies an e-mail. Without a session of the user, pass the password of the sign-up. Without
   * either, the password is removed, because another person may have signed up with the address.
   */
  verifyEmail(
    given: { email: string; code: string; password?: string },
  ): Promise<{ passwordDropped: boolean }>;
  resendVerification(email: string): Promise<void>;
  requestPasswordReset(email: string): Promise<void>;
  resetPassword(given: { email: string; code: string; newPassword: string }): Promise<void>;
  changePassword(given: { currentPassword: string; newPassword: string }): Promise<void>;
  update(changes: P["userChanges"]): Promise<P["user"]>;
}

export interface UploadOptions extends Abortable {
  /** Default: the name of a `File`, otherwise `file`. */
  filename?: string;
  visibility?: "public" | "private";
  /** Receives the number of sent bytes. */
  onProgress?(sent: number, size: number): void;
}

export interface StoredFile {
  path: string;
  url: string | null;
  visibility: "public" | "private";
}

/** A file in a list. */
export interface ListedFile extends PopulatedFile {
  /** The user who uploaded it; null if a server or a member did. */
  ownerId: string | null;
}

export interface Files {
  /**
   * Uploads a file. Continues after a lost connection. In a page with a cookie session, it also
   * continues after the page was closed, if the same user chooses the same `File` again.
   */
  upload(file: Blob, options?: UploadOptions): Promise<StoredFile>;
  /** Signs an address with which everyone can read a private file, by default for an hour. */
  sign(
    path: string,
    options?: Abortable & { seconds?: number },
  ): Promise<{ url: string; sizesUrl: string | null; expiresAt: string }>;
  /** Lists the user's own files, or all with the secret key, newest first. */
  list(
    options?: Abortable & { limit?: number; cursor?: string },
  ): Promise<{ items: ListedFile[]; nextCursor: string | null }>;
  delete(path: string, options?: Abortable): Promise<void>;
}

export interface Client<P extends ProjectTypes> {
  from<Name extends Names<Collections<P>>>(collection: Name): Collection<P, Collections<P>[Name]>;
  /** Executes all operations, or none. */
  batch(
    operations: readonly BatchOperation<P>[],
    options?: Abortable & { idempotencyKey?: string },
  ): Promise<BatchResult[]>;
  /** Returns the tag, for `ifMatch`, of a document that this client received singly. */
  etagOf(document: object): string | undefined;
  readonly auth: Auth<P>;
  readonly files: Files;
  /** Closes live lists and the connection to other tabs. */
  close(): void;
}

export declare function createClient<P extends ProjectTypes = AnyProject>(
  options: ClientOptions,
): Client<P>;
