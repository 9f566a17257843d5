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
  /** By path: the collection whose documents `populate` puts there; `users` and `files` are no collections. */
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

/** A document of which nothing is declared. */
export interface AnyDocument {
  _id: string;
  createdAt: string;
  updatedAt: string;
  isDeleted: boolean;
  deletedAt: string | null;
  // deno-lint-ignore no-explicit-any -- Without a project's types, members are whatever they are.
  [name: string]: any;
}

type Members = Record<string, unknown>;

/** What stands in for a project's types where none are given. */
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
  /** A project's publishable key; on a server of yours it may be the secret one. */
  key: string;
  /**
   * Where the refresh token is. `cookie`: in one that no script can read, which the browser sends;
   * the default in pages. `memory`: in this client, which forgets it when it ends; the default elsewhere.
   */
  session?: "cookie" | "memory";
  /** In the place of the global one. */
  fetch?: typeof fetch;
}

/** What a call may be ended by. */
export interface Abortable {
  signal?: AbortSignal;
}

/**
 * A refusal, or a call that got no answer of Corbel's. `code` is `NETWORK` and `status` 0 where no
 * answer came; `NO_ANSWER_OF_CORBEL` where something else answered, such as a proxy; and
 * `INVALID_VALUE`, `INVALID_ID` or `INVALID_OPTIONS` with status 0 where the client has asked nothing.
 */
export declare class CorbelError extends Error {
  readonly name: "CorbelError";
  /** Stable: what the reference names. */
  readonly code: string;
  readonly status: number;
  /** Say it when you ask for help. */
  readonly requestId: string | null;
  /** Of what was sent: members that do not fit. */
  readonly faults: readonly { readonly path: string; readonly message: string }[];
  /** Of a batch: the index of the operation that was refused. */
  readonly operation: number | null;
  /** Seconds after which to try again; null if the server does not say. */
  readonly retryAfter: number | null;
}

/** What is known of a file: what `populate` puts in the place of its path. */
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

/** A path that `populate` takes: `author`, `comments(postId)`, and further ones behind a dot. */
export type PopulatePath<C extends CollectionTypes> =
  | Names<C["populated"]>
  | `${Names<C["populated"]>}.${string}`;

type Target<P extends ProjectTypes, Name> = Name extends "users" ? P["publicUser"]
  : Name extends "files" ? PopulatedFile
  : Name extends Names<Collections<P>> ? Collections<P>[Name]["document"]
  : unknown;

/** What may not be seen stays an id. */
type Put<Value, T> = Value extends readonly (infer Element)[] ? Array<Put<Element, T>>
  : Value extends string ? Value | T
  : Value;

type Replaced<P extends ProjectTypes, C extends CollectionTypes, D, Path> = {
  [Name in keyof D]: Name extends First<Path> & keyof C["populated"]
    ? Put<D[Name], Target<P, C["populated"][Name]>>
    : D[Name];
};

/** `comments(postId)` puts documents of `comments` under that name. */
type Referring<P extends ProjectTypes, C extends CollectionTypes, Path> = {
  [
    Name in First<Path> & keyof C["populated"] as Name extends `${infer Key}(${string})` ? Key
      : never
  ]?: Array<Target<P, C["populated"][Name]>>;
};

type Picked<D, Field> = [Field] extends [never] ? D : Pick<D, (Field | "_id") & keyof D>;

/** A document as a query with these `fields` and `populate` shows it. */
export type Shown<
  P extends ProjectTypes,
  C extends CollectionTypes,
  Field = never,
  Path = never,
> = [Path] extends [never] ? Picked<C["document"], Field>
  : Replaced<P, C, Picked<C["document"], Field>, Path> & Referring<P, C, Path>;

export interface Presentation<C extends CollectionTypes, Field, Path> extends Abortable {
  /** Members to show; `_id` is always there. */
  fields?: readonly (Field & Names<C["document"]>)[];
  /** Documents and files in the place of the ids and paths that refer to them. */
  populate?: readonly (Path & PopulatePath<C>)[];
}

export interface Filtering<C extends CollectionTypes> {
  where?: C["where"];
  /** Words to look for in the fields that are searched. */
  search?: string;
  /** Documents in the trash too. */
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

/** What is no mistake, but hardly meant so. */
export interface QueryWarning {
  /** The parameter that it is about. */
  parameter: string;
  message: string;
}

/** What lists and aggregates are answered with. */
export interface Warned {
  /**
   * Of conditions and `fields` that name what the collection does not declare. Of a server on this
   * machine each is printed too, once, with `console.warn`.
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
  /** Fields, or a Date as `createdAt:day`. */
  group?: readonly string[];
  /** An IANA name, for the hours to years of a Date. */
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

/** What becomes of a list as its documents change. */
export interface LiveHandlers<D> {
  /**
   * The whole list in its order, at first and after each change; `total` of all that match. What a
   * handler throws is reported as an uncaught error, and the list goes on.
   */
  items(items: D[], total: number | undefined): void;
  /** Whether changes arrive at the moment. False from the loss of a connection until it is back. */
  connected?(isConnected: boolean): void;
  /**
   * The list has ended for good: what is refused, such as a token that cannot be renewed. Without
   * this handler the error is reported as an uncaught one.
   */
  error?(error: CorbelError): void;
}

export interface LiveList {
  close(): void;
}

export interface WriteOptions extends Abortable {
  /**
   * The tag of the document as you know it, from `etagOf`: refused if it has changed since, and if the
   * tag is `undefined`, as that of a document from a list is.
   */
  ifMatch?: string;
}

export interface Collection<P extends ProjectTypes, C extends CollectionTypes> {
  list<const Field extends string = never, const Path extends string = never>(
    query?: ListQuery<C, Field, Path>,
  ): Promise<Page<Shown<P, C, Field, Path>>>;
  /** One page after the other, to the end. */
  pages<const Field extends string = never, const Path extends string = never>(
    query?: Omit<ListQuery<C, Field, Path>, "page">,
  ): AsyncIterableIterator<Page<Shown<P, C, Field, Path>>>;
  get<const Field extends string = never, const Path extends string = never>(
    id: string,
    options?: Presentation<C, Field, Path> & { includeDeleted?: boolean },
  ): Promise<Shown<P, C, Field, Path>>;
  /** With an `idempotencyKey` it is safe to create again, and done so where no answer comes. */
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
  /** To the trash, or with the secret key and `permanent` for good. */
  delete(id: string, options?: WriteOptions & { permanent?: boolean }): Promise<void>;
  recover(id: string, options?: Abortable): Promise<C["document"]>;
  count(query?: Filtering<C> & Abortable): Promise<number>;
  aggregate(query: AggregateQuery<C>): Promise<{ groups: Group[]; more: boolean } & Warned>;
  /**
   * Goes on through lost connections and renewed tokens, until it is closed or refused. With `fields`
   * its documents also have those that they are sorted by.
   */
  live<const Field extends string = never>(
    query: Omit<ListQuery<C, Field, never>, "page" | "cursor" | "populate">,
    handlers: LiveHandlers<Shown<P, C, Field>>,
  ): LiveList;
}

/** One of several writes that are done together, or not at all. */
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

/** Sent as `authorization: Bearer …` to a server of yours, which asks Corbel whose it is. */
export interface AccessToken {
  accessToken: string;
  expiresAt: string;
}

export interface Auth<P extends ProjectTypes> {
  /** Null where nobody is signed in, and until it is known: see `ready`. */
  readonly user: P["user"] | null;
  /** Who is signed in from an earlier visit. While the server is away, it is asked until it is back. */
  readonly ready: Promise<P["user"] | null>;
  /**
   * Called when it is known who is signed in, and whenever that changes. Returns what ends it. What a
   * listener throws is reported as an uncaught error, elsewhere than in a page with `console.error`.
   */
  onChange(listener: (user: P["user"] | null) => void): () => void;
  /** An anonymous user becomes this one. Null where the e-mail must be verified first. */
  signUp(user: P["signUp"]): Promise<P["user"] | null>;
  signIn(credentials: { email: string; password: string }): Promise<P["user"]>;
  /** Sends a code to sign in with. */
  requestCode(email: string): Promise<void>;
  signInWithCode(given: { email: string; code: string }): Promise<P["user"]>;
  signInAnonymously(): Promise<P["user"]>;
  /**
   * Leaves the page for the provider. The user comes back to `/auth/callback` of your site. `dev`
   * has users choose who they are, on a server that `deno task dev` started.
   */
  signInWith(provider: "github" | "google" | "dev", options?: { returnTo?: string }): void;
  /** On `/auth/callback`: ends what `signInWith` began. Null where nothing was begun. */
  completeSignIn(): Promise<{ user: P["user"]; returnTo: string | null } | null>;
  /** This device forgets the session even if the server cannot be reached. */
  signOut(): Promise<void>;
  /** For calls to a server of yours; with `renew` it is a new one. Null where nobody is signed in. */
  token(options?: { renew?: boolean }): Promise<AccessToken | null>;
  /**
   * Without a session of the user give the password that they signed up with. Without either it is
   * dropped, because the owner of the mailbox may be another person than the one who signed up.
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
  /** If left out that of a `File`, else `file`. */
  filename?: string;
  visibility?: "public" | "private";
  /** How many of the file's bytes have been sent. */
  onProgress?(sent: number, size: number): void;
}

export interface StoredFile {
  path: string;
  url: string | null;
  visibility: "public" | "private";
}

/** A file in a list of them. */
export interface ListedFile extends PopulatedFile {
  /** The user who has uploaded it; null for a server's or a member's. */
  ownerId: string | null;
}

export interface Files {
  /**
   * Goes on where it was when a connection is lost, and in a page with a session in a cookie also
   * when the same user chooses the same `File` again after the page was closed.
   */
  upload(file: Blob, options?: UploadOptions): Promise<StoredFile>;
  /** An address that reads a private file, for whoever has it; an hour if left out. */
  sign(
    path: string,
    options?: Abortable & { seconds?: number },
  ): Promise<{ url: string; sizesUrl: string | null; expiresAt: string }>;
  /** The user's own, or with the secret key all, the newest first. */
  list(
    options?: Abortable & { limit?: number; cursor?: string },
  ): Promise<{ items: ListedFile[]; nextCursor: string | null }>;
  delete(path: string, options?: Abortable): Promise<void>;
}

export interface Client<P extends ProjectTypes> {
  from<Name extends Names<Collections<P>>>(collection: Name): Collection<P, Collections<P>[Name]>;
  /** All of them are done, or none. */
  batch(
    operations: readonly BatchOperation<P>[],
    options?: Abortable & { idempotencyKey?: string },
  ): Promise<BatchResult[]>;
  /** Names the state of a document that this client has answered alone, for `ifMatch`. */
  etagOf(document: object): string | undefined;
  readonly auth: Auth<P>;
  readonly files: Files;
  /** Ends what goes on: live lists, and what other tabs are listened to by. */
  close(): void;
}

export declare function createClient<P extends ProjectTypes = AnyProject>(
  options: ClientOptions,
): Client<P>;
