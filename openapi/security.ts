import { findAccountByCookie, readSessionCookie } from "@/lib/accounts/account_sessions.ts";
import {
  type AccountCaller,
  accountTokenIn,
  findTokenHolder,
  requireAccess,
  requireAllProjects,
  requireProject,
  UNBOUNDED,
} from "@/lib/accounts/account_tokens.ts";
import type { TokenScope } from "@/lib/accounts/token_records.ts";
import type { AccountPrincipal, SignedInAccount } from "@/lib/projects/account_records.ts";
import {
  authenticateKey,
  type AuthServices,
  callerOf,
  signedInUserOf,
} from "@/lib/auth/authenticate.ts";
import { type ApiKeyPrincipal, looksSecret } from "@/lib/projects/api_keys.ts";
import type { KeyNotes } from "@/lib/projects/key_notes.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import type { FileScope } from "@/lib/files/uploads.ts";
import type { Uploader } from "@/lib/files/user_room.ts";
import type { Caller, KeyHolder, SignedInUser } from "@/lib/auth/principals.ts";
import type { Clock } from "@/lib/clock.ts";
import { refuseOtherTypes } from "@/lib/http/body.ts";
import type { Cookies } from "@/lib/http/cookies.ts";
import { refuseCrossSite } from "@/lib/http/cross_site.ts";
import { takeTicket, type TicketHolder, type TicketServices } from "@/lib/events/live/tickets.ts";
import type { RateLimiter } from "@/lib/http/rate_limit.ts";
import type { Credentials, RequestState } from "@/lib/http/request.ts";
import { DASHBOARD_SIGN_IN_RATE_PER_MINUTE } from "@/lib/limits.ts";
import { requiredProjectId } from "@/lib/ids.ts";
import { includes, memberOf, type ProjectMember, type Role } from "@/lib/projects/members.ts";
import { KEY } from "@/lib/store/changes.ts";
import type { Engine, Id } from "@/lib/store/port.ts";
import { Problem, type ProblemCode } from "@/lib/problems.ts";
import type { MaybePromise } from "@/lib/maybe_promise.ts";
import { countAt, countRequest, countSignIn } from "./counting.ts";

export interface GuardServices extends AuthServices, TicketServices {
  readonly config: { readonly publicUrl: string };
  readonly engine: Engine;
  readonly clock: Clock;
  readonly cookies: Cookies;
  readonly rateLimiter: RateLimiter;
  readonly signInLimiter: RateLimiter;
  readonly dashboardLimiter: RateLimiter;
  readonly keyNotes: Pick<KeyNotes, "usedInBrowser">;
}

/**
 * A kind of caller: what the document says of it and the guard that enforces it, in one constant,
 * so that the two cannot drift. `P` is what the guard finds out.
 */
export interface Security<P> {
  readonly requirement: readonly Readonly<Record<string, readonly string[]>>[];
  /** What the guard may refuse for. */
  readonly problems: readonly ProblemCode[];
  /** @param param A path parameter, decoded. */
  guard(
    services: GuardServices,
    request: RequestState,
    param: (name: string) => string,
  ): MaybePromise<P>;
}

/** No credentials are looked at. */
export const anyone: Security<null> = {
  requirement: [],
  problems: [],
  guard: () => null,
};

/** Either key of a project; a bearer token beside a publishable one says for which user. */
export const projectKey: Security<Caller> = {
  requirement: [{ apiKey: [] }, { apiKey: [], accessToken: [] }],
  problems: ["API_KEY_INVALID", "ACCESS_TOKEN_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    return await callerOf(services, holder, request);
  },
};

/** The publishable key and the access token of the signed-in user. */
export const signedInUser: Security<SignedInUser> = {
  requirement: [{ apiKey: [], accessToken: [] }],
  problems: [...projectKey.problems, "ACCESS_TOKEN_REQUIRED", "PUBLISHABLE_KEY_REQUIRED"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    return await signedInUserOf(services, holder, request);
  },
};

/** The secret key alone. */
export const secretKey: Security<KeyHolder> = {
  requirement: [{ apiKey: [] }],
  problems: ["API_KEY_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED", "SECRET_KEY_REQUIRED"],
  async guard(services, request) {
    const { kind, projectId, auth } = await authenticateAndLimit(services, request);
    if (kind !== "secret") throw new Problem("SECRET_KEY_REQUIRED");
    return { kind, projectId, auth, actor: KEY };
  },
};

/** Whoever works with files: all of a project's, or a user with their own. */
export interface FileCaller extends FileScope {
  /** Who uploads by the project's rules for users; null where they do not apply. */
  readonly uploader: Uploader | null;
}

/** The secret key; or the publishable key and an access token, where the project lets users upload. */
export const fileKey: Security<FileCaller> = {
  requirement: [{ apiKey: [] }, { apiKey: [], accessToken: [] }],
  problems: [...secretKey.problems, "ACCESS_TOKEN_REQUIRED", "ACCESS_TOKEN_INVALID"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    const { kind, projectId, files: rules } = holder;
    if (kind === "secret") return { projectId, ownerId: null, uploader: null };
    if (rules.userUploads === "off") throw new Problem("SECRET_KEY_REQUIRED");
    const { userId } = await signedInUserOf(services, holder, request);
    return { projectId, ownerId: userId, uploader: { userId, rules } };
  },
};

/** Who listens to a list, and by what they may go on doing so. */
export interface LiveListener {
  readonly caller: Caller;
  readonly credentials: Credentials;
  /** What a ticket stands for; null where the request says it itself. */
  readonly ticket: Pick<TicketHolder, "query" | "lastEventId"> | null;
}

/** As {@linkcode projectKey}; or a ticket in the address, from clients that send no headers. */
export const liveListener: Security<LiveListener> = {
  requirement: [...projectKey.requirement, { liveTicket: [] }],
  problems: [...projectKey.problems, "TICKET_INVALID"],
  async guard(services, request, param) {
    const ticket = new URLSearchParams(request.query).get("ticket");
    if (request.apiKey !== null || ticket === null) {
      const { apiKey, authorization } = request;
      const caller = await projectKey.guard(services, request, param);
      return { caller, credentials: { apiKey, authorization }, ticket: null };
    }
    const collectionName = param("collectionName");
    const holder = await takeTicket(services, { ticket, collectionName, origin: request.origin });
    const principal = await authenticateKey(services, holder.credentials);
    noteHolder(request, principal);
    const caller = await callerOf(services, principal, holder.credentials);
    return { caller, credentials: holder.credentials, ticket: holder };
  },
};

/**
 * Either key, for operations that open or renew a session: they are counted apart, and an access
 * token that has expired meanwhile is not looked at.
 */
export const signInKey: Security<ApiKeyPrincipal> = {
  requirement: [{ apiKey: [] }],
  problems: ["API_KEY_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    countSignIn(services, holder, request);
    return holder;
  },
};

/** Either key, for an operation that takes an access token as far as it is good. */
export const sessionKey: Security<ApiKeyPrincipal> = {
  requirement: projectKey.requirement,
  problems: signInKey.problems,
  guard: authenticateAndLimit,
};

/** As {@linkcode projectKey}, for operations that know other ways to tell the user too. */
export const userKey: Security<{ readonly holder: ApiKeyPrincipal; readonly userId: Id | null }> = {
  ...projectKey,
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    const caller = await callerOf(services, holder, request);
    return { holder, userId: caller.kind === "secret" ? null : caller.userId };
  },
};

/** As {@linkcode userKey}, for whoever signs up: counted as a sign-in. */
export const signUpKey: typeof userKey = {
  ...userKey,
  async guard(services, request, param) {
    const signingUp = await userKey.guard(services, request, param);
    countSignIn(services, signingUp.holder, request);
    return signingUp;
  },
};

/** As {@linkcode signedInUser}, for what they sign in with: counted as a sign-in. */
export const changingUser: Security<SignedInUser & { readonly auth: AuthSettings }> = {
  ...signedInUser,
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    countSignIn(services, holder, request);
    return { ...await signedInUserOf(services, holder, request), auth: holder.auth };
  },
};

/**
 * A publishable key in the address, because browsers that navigate send no headers of ours; or
 * either key in the header. A secret key in an address is refused: addresses are kept in many
 * places. Any origin may send a browser on its way.
 */
export const navigationKey: Security<ApiKeyPrincipal> = {
  requirement: [{ apiKeyInQuery: [] }, { apiKey: [] }],
  problems: ["API_KEY_INVALID", "RATE_LIMITED"],
  async guard(services, request) {
    const query = new URLSearchParams(request.query);
    const [inQuery = null, ...others] = [...query.getAll("x-api-key"), ...query.getAll("key")];
    if (others.length > 0) throw refusedInAddress("The address has more than one API key.");
    if (inQuery !== null && looksSecret(inQuery)) {
      throw refusedInAddress("A secret key must not stand in an address, which many places keep.");
    }
    const apiKey = inQuery ?? request.apiKey;
    if (apiKey === null) throw refusedInAddress("The API key is missing.");
    const holder = await authenticateKey(services, { apiKey });
    noteHolder(request, holder);
    countRequest(services, holder, request);
    countSignIn(services, holder, request);
    return holder;
  },
};

const refusedInAddress = (why: string): Problem =>
  new Problem("API_KEY_INVALID", {
    message: `${why} Send the project's publishable key as the query parameter x-api-key.`,
  });

/** Anybody, by a request that no other site has made. */
export const ownPages: Security<null> = {
  requirement: [],
  problems: ["CROSS_SITE_REQUEST", "UNSUPPORTED_MEDIA_TYPE"],
  guard(services, request) {
    refuseCrossSite(request.raw, services.config.publicUrl);
    refuseOtherTypes(request.raw);
    return null;
  },
};

/**
 * As `security`, for what tells whether an e-mail has an account or a password is right: counted by
 * address, beside all else.
 */
export const countedByAddress = <P>(security: Security<P>): Security<P> => ({
  requirement: security.requirement,
  problems: [...security.problems, "RATE_LIMITED"],
  async guard(services, request, param) {
    const principal = await security.guard(services, request, param);
    countAt(services.dashboardLimiter, `dashboard ${request.network}`, request);
    return principal;
  },
});

/** What the document says of {@linkcode countedByAddress}. */
export const COUNTED =
  "From one network, all requests that register, sign in, use a code, change " +
  `a password, delete an account or invite: at most ${DASHBOARD_SIGN_IN_RATE_PER_MINUTE} a minute.`;

/** An account that is signed in to the dashboard, by a request that no other site has made. */
export const dashboardSession: Security<SignedInAccount> = {
  requirement: [{ dashboardSession: [] }],
  problems: [
    "SIGN_IN_REQUIRED",
    "ACCOUNT_TOKEN_INVALID",
    "SESSION_REQUIRED",
    "RATE_LIMITED",
    ...ownPages.problems,
  ],
  async guard(services, request) {
    const token = accountTokenIn(request.authorization);
    if (token !== null) {
      await tokenHolderOf(services, request, token);
      throw new Problem("SESSION_REQUIRED");
    }
    const account = await accountOf(services, request);
    refuseOtherTypes(request.raw);
    return account;
  },
};

const KEY_IS_NO_ACCOUNT =
  "This takes an account and no API key: sign in to the dashboard, or send " +
  "a personal access token as Authorization: Bearer <token>.";

/** Whose session a request brings. Throws `CROSS_SITE_REQUEST` and `SIGN_IN_REQUIRED`. */
export async function accountOf(
  services: GuardServices,
  request: RequestState,
): Promise<SignedInAccount> {
  refuseCrossSite(request.raw, services.config.publicUrl);
  request.callerKind = "account";
  const account = await findAccountByCookie(services, request.raw.headers.get("cookie"));
  if (account === null) {
    throw new Problem(
      "SIGN_IN_REQUIRED",
      request.raw.headers.has("x-api-key") ? { message: KEY_IS_NO_ACCOUNT } : {},
    );
  }
  request.accountId = account.accountId;
  return account;
}

/**
 * Whose personal access token this is. Throws `ACCOUNT_TOKEN_INVALID`, and `RATE_LIMITED` where many
 * that are not valid came from one network; valid ones pass all the same.
 */
async function tokenHolderOf(
  services: GuardServices,
  request: RequestState,
  token: string,
): Promise<AccountCaller> {
  request.callerKind = "accountToken";
  const holder = await findTokenHolder(services, token);
  if (holder !== null) {
    request.accountId = holder.accountId;
    return holder;
  }
  countAt(services.dashboardLimiter, `account token ${request.network}`, request);
  throw new Problem("ACCOUNT_TOKEN_INVALID");
}

/**
 * The account of a token, or of a session where no token is sent: no other site makes a browser send
 * one, so only a session is held to the dashboard's own pages.
 */
async function accountCallerOf(
  services: GuardServices,
  request: RequestState,
): Promise<AccountCaller> {
  const token = accountTokenIn(request.authorization);
  const caller = token === null
    ? { ...await accountOf(services, request), scope: UNBOUNDED }
    : await tokenHolderOf(services, request, token);
  refuseOtherTypes(request.raw);
  return caller;
}

/** An account, by its session or by a token whose access goes as far as the request's method. */
export const sessionOrToken: Security<AccountCaller> = {
  requirement: [...dashboardSession.requirement, { accountToken: [] }],
  problems: [
    "SIGN_IN_REQUIRED",
    "ACCOUNT_TOKEN_INVALID",
    "TOKEN_SCOPE_EXCEEDED",
    "RATE_LIMITED",
    ...ownPages.problems,
  ],
  async guard(services, request) {
    const caller = await accountCallerOf(services, request);
    requireAccess(caller.scope, request.raw.method);
    return caller;
  },
};

/** As {@linkcode sessionOrToken}, for what is of no project yet: a token for some has no part in it. */
export const allProjects: Security<AccountCaller> = {
  ...sessionOrToken,
  async guard(services, request, param) {
    const caller = await sessionOrToken.guard(services, request, param);
    requireAllProjects(caller.scope);
    return caller;
  },
};

/** A member of the path's project whose role includes this one, and whose token the project. */
export const projectMember = (role: Role): Security<ProjectMember> => ({
  requirement: sessionOrToken.requirement,
  problems: [
    ...sessionOrToken.problems,
    "INVALID_PROJECT_ID",
    "PROJECT_NOT_FOUND",
    ...(role === "viewer" ? [] : ["ROLE_REQUIRED"] as const),
  ],
  async guard(services, request, param) {
    const account = await accountCallerOf(services, request);
    const { scope } = account;
    return await memberAt(services, request, {
      account,
      scope,
      role,
      projectId: param("projectId"),
    });
  },
});

/** Who wants to act in which project. @template A By what they came in. */
interface Acting<A extends AccountPrincipal> {
  readonly account: A;
  /** A session's if left out. */
  readonly scope?: TokenScope;
  readonly role: Role;
  readonly projectId: string;
}

/**
 * The account as a member whose role includes this one. Throws `INVALID_PROJECT_ID`,
 * `PROJECT_NOT_FOUND`, `ROLE_REQUIRED`, and `TOKEN_SCOPE_EXCEEDED`: what a token is not for is told
 * of to members alone.
 */
export async function memberAt<A extends AccountPrincipal>(
  services: GuardServices,
  request: RequestState,
  { account, scope = UNBOUNDED, role, projectId }: Acting<A>,
): Promise<ProjectMember<A>> {
  const member = await memberOf(services, account, requiredProjectId(projectId));
  request.projectId = member.project._id;
  request.recordsUntil = member.project.recordsRequestsUntil ?? null;
  requireProject(scope, member.project._id);
  requireAccess(scope, request.raw.method);
  if (!includes(member.role, role)) throw new Problem("ROLE_REQUIRED");
  return member;
}

/** As {@linkcode projectMember} for admins; to others it is as if there were no project. */
export const projectAdminOrHidden: Security<ProjectMember> = {
  requirement: sessionOrToken.requirement,
  problems: projectMember("viewer").problems,
  async guard(services, request, param) {
    const member = await projectMember("viewer").guard(services, request, param);
    if (!includes(member.role, "admin")) throw new Problem("PROJECT_NOT_FOUND");
    return member;
  },
};

/** Who may know of a project what its applications and servers may do. */
export interface ProjectReader {
  readonly projectId: Id;
  /** Whether they may know what only the secret key does. */
  readonly isTrusted: boolean;
}

/** Either key of the path's project, or one of its members. A key of another sees no project. */
export const projectReader: Security<ProjectReader> = {
  requirement: [{ apiKey: [] }, ...sessionOrToken.requirement],
  problems: ["API_KEY_INVALID", "ORIGIN_NOT_ALLOWED", ...projectMember("viewer").problems],
  async guard(services, request, param) {
    if (request.apiKey === null && isOfAccount(services, request)) {
      const { project } = await projectMember("viewer").guard(services, request, param);
      return { projectId: project._id, isTrusted: true };
    }
    const { projectId, kind } = await authenticateAndLimit(services, request);
    if (requiredProjectId(param("projectId")) !== projectId) throw new Problem("PROJECT_NOT_FOUND");
    return { projectId, isTrusted: kind === "secret" };
  },
};

/** Whether a request brings a session or a personal access token, be it a good one. */
function isOfAccount({ cookies }: GuardServices, { raw, authorization }: RequestState): boolean {
  return accountTokenIn(authorization) !== null ||
    readSessionCookie(cookies, raw.headers.get("cookie")) !== null;
}

/** Whose key it is, for a request that may go on with it. */
async function authenticateAndLimit(
  services: GuardServices,
  request: RequestState,
): Promise<ApiKeyPrincipal> {
  const holder = await authenticateKey(services, request);
  noteHolder(request, holder);
  countRequest(services, holder, request);
  checkOrigin(services, holder, request.origin);
  if (holder.kind === "secret") warnOfBrowser(services, request);
  return holder;
}

/** For the log, and what is kept of the project's requests. */
export function noteHolder(request: RequestState, holder: ApiKeyPrincipal): void {
  request.projectId = holder.projectId;
  request.callerKind = holder.kind;
  request.recordsUntil = holder.recordsUntil;
}

/** Works all the same: who tries something out is told so, where the answer is and in the dashboard. */
function warnOfBrowser({ config, keyNotes }: GuardServices, request: RequestState): void {
  const { origin, apiKey } = request;
  if (origin === null || origin === config.publicUrl) return;
  request.warning = SECRET_KEY_SHOWN;
  keyNotes.usedInBrowser(apiKey!, origin); // It is whose it is.
}

const SECRET_KEY_SHOWN =
  "This secret key was sent by a page in a browser, where anybody can read it: " +
  "use the publishable key there, and rotate this one.";

/** A project that lists origins lets browsers of other sites do nothing with its public key. */
function checkOrigin(
  { config }: GuardServices,
  { kind, allowedOrigins, siteUrl }: ApiKeyPrincipal,
  origin: string | null,
): void {
  if (kind === "secret" || origin === null || allowedOrigins.length === 0) return;
  if (origin === siteUrl || origin === config.publicUrl || allowedOrigins.includes(origin)) return;
  throw new Problem("ORIGIN_NOT_ALLOWED");
}
