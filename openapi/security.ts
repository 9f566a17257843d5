import { findAccountByCookie, readSessionCookie } from "@/lib/accounts/account_sessions.ts";
import {
  type AccountCaller,
  findTokenHolder,
  readAccountToken,
  requireAccess,
  requireAllProjects,
  requireProject,
  SESSION_SCOPE,
} from "@/lib/accounts/account_tokens.ts";
import type { TokenScope } from "@/lib/accounts/token_records.ts";
import type { AccountPrincipal, SignedInAccount } from "@/lib/projects/account_records.ts";
import {
  authenticateKey,
  type AuthServices,
  callerOf,
  signedInUserOf,
} from "@/lib/auth/authenticate.ts";
import { type ApiKeyPrincipal, startsLikeSecretKey } from "@/lib/projects/api_keys.ts";
import type { KeyNotes } from "@/lib/projects/key_notes.ts";
import type { AuthSettings } from "@/lib/projects/auth_settings.ts";
import type { FileScope } from "@/lib/files/uploads.ts";
import type { Uploader } from "@/lib/files/user_quota.ts";
import type { Caller, KeyHolder, SignedInUser } from "@/lib/auth/principals.ts";
import type { Clock } from "@/lib/clock.ts";
import { refuseOtherTypes } from "@/lib/http/body.ts";
import type { Cookies } from "@/lib/http/cookies.ts";
import { refuseCrossSite } from "@/lib/http/cross_site.ts";
import { type LiveTicket, redeemTicket, type TicketServices } from "@/lib/events/live/tickets.ts";
import type { RateLimiter } from "@/lib/http/rate_limit.ts";
import type { Credentials, RequestState } from "@/lib/http/request.ts";
import { DASHBOARD_SIGN_IN_RATE_PER_MINUTE } from "@/lib/limits.ts";
import { requiredProjectId } from "@/lib/ids.ts";
import { memberOf, type ProjectMember, type Role, roleIncludes } from "@/lib/projects/members.ts";
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
  readonly keyNotes: Pick<KeyNotes, "noteBrowserUse">;
}

/** A kind of caller: its description and guard in one constant, so that they cannot drift apart. */
export interface Security<P> {
  readonly requirement: readonly Readonly<Record<string, readonly string[]>>[];
  readonly problems: readonly ProblemCode[];
  /** @param param A path parameter, decoded. */
  guard(
    services: GuardServices,
    request: RequestState,
    param: (name: string) => string,
  ): MaybePromise<P>;
}

/** Admits every request without reading its credentials. */
export const anyone: Security<null> = {
  requirement: [],
  problems: [],
  guard: () => null,
};

/** Admits either key of a project. A bearer token with a publishable key identifies the user. */
export const projectKey: Security<Caller> = {
  requirement: [{ apiKey: [] }, { apiKey: [], accessToken: [] }],
  problems: ["API_KEY_INVALID", "ACCESS_TOKEN_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    return await callerOf(services, holder, request);
  },
};

/** Admits the publishable key together with a user's access token. */
export const signedInUser: Security<SignedInUser> = {
  requirement: [{ apiKey: [], accessToken: [] }],
  problems: [...projectKey.problems, "ACCESS_TOKEN_REQUIRED", "PUBLISHABLE_KEY_REQUIRED"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    return await signedInUserOf(services, holder, request);
  },
};

export const secretKey: Security<KeyHolder> = {
  requirement: [{ apiKey: [] }],
  problems: ["API_KEY_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED", "SECRET_KEY_REQUIRED"],
  async guard(services, request) {
    const { kind, projectId, auth } = await authenticateAndLimit(services, request);
    if (kind !== "secret") throw new Problem("SECRET_KEY_REQUIRED");
    return { kind, projectId, auth, actor: KEY };
  },
};

/** A caller that works with files: the secret key with all files, or a user with their own. */
export interface FileCaller extends FileScope {
  /** The user to whom the project's upload rules apply; null for the secret key. */
  readonly uploader: Uploader | null;
}

/** Admits the secret key, or a signed-in user if the project allows users to upload. */
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

/** The caller of a live list, with the credentials that are checked again while it is open. */
export interface LiveListener {
  readonly caller: Caller;
  readonly credentials: Credentials;
  /** The list that a ticket was issued for; null if the request has no ticket. */
  readonly ticket: Pick<LiveTicket, "query" | "lastEventId"> | null;
}

/** Admits a {@linkcode projectKey}, or a ticket in the address for clients without headers. */
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
    const holder = await redeemTicket(services, { ticket, collectionName, origin: request.origin });
    const principal = await authenticateKey(services, holder.credentials);
    recordKeyHolder(request, principal);
    const caller = await callerOf(services, principal, holder.credentials);
    return { caller, credentials: holder.credentials, ticket: holder };
  },
};

/** Admits either key to open or renew a session: limited separately, access token ignored. */
export const signInKey: Security<ApiKeyPrincipal> = {
  requirement: [{ apiKey: [] }],
  problems: ["API_KEY_INVALID", "ORIGIN_NOT_ALLOWED", "RATE_LIMITED"],
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    countSignIn(services, holder, request);
    return holder;
  },
};

/** Admits either key for an operation that also accepts an expired access token. */
export const sessionKey: Security<ApiKeyPrincipal> = {
  requirement: projectKey.requirement,
  problems: signInKey.problems,
  guard: authenticateAndLimit,
};

/** Like {@linkcode projectKey}, for operations that can identify the user in other ways too. */
export const userKey: Security<{ readonly holder: ApiKeyPrincipal; readonly userId: Id | null }> = {
  ...projectKey,
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    const caller = await callerOf(services, holder, request);
    return { holder, userId: caller.kind === "secret" ? null : caller.userId };
  },
};

/** Like {@linkcode userKey}, for signing up: counted as a sign-in. */
export const signUpKey: typeof userKey = {
  ...userKey,
  async guard(services, request, param) {
    const signingUp = await userKey.guard(services, request, param);
    countSignIn(services, signingUp.holder, request);
    return signingUp;
  },
};

/** Like {@linkcode signedInUser}, for changing a password or e-mail: counted as a sign-in. */
export const changingUser: Security<SignedInUser & { readonly auth: AuthSettings }> = {
  ...signedInUser,
  async guard(services, request) {
    const holder = await authenticateAndLimit(services, request);
    countSignIn(services, holder, request);
    return { ...await signedInUserOf(services, holder, request), auth: holder.auth };
  },
};

/** Admits a key in the header, or in the address, which is widely stored, a publishable one. */
export const navigationKey: Security<ApiKeyPrincipal> = {
  requirement: [{ apiKeyInQuery: [] }, { apiKey: [] }],
  problems: ["API_KEY_INVALID", "RATE_LIMITED"],
  async guard(services, request) {
    const query = new URLSearchParams(request.query);
    const [inQuery = null, ...others] = [...query.getAll("x-api-key"), ...query.getAll("key")];
    if (others.length > 0) throw invalidAddressKey("The address has more than one API key.");
    if (inQuery !== null && startsLikeSecretKey(inQuery)) {
      throw invalidAddressKey("A secret key must not be in an address, which many places store.");
    }
    const apiKey = inQuery ?? request.apiKey;
    if (apiKey === null) throw invalidAddressKey("The API key is missing.");
    const holder = await authenticateKey(services, { apiKey });
    recordKeyHolder(request, holder);
    countRequest(services, holder, request);
    countSignIn(services, holder, request);
    return holder;
  },
};

const invalidAddressKey = (why: string): Problem =>
  new Problem("API_KEY_INVALID", {
    message: `${why} Send the project's publishable key as the query parameter x-api-key.`,
  });

/** Admits any caller, unless another site made the request. */
export const ownPages: Security<null> = {
  requirement: [],
  problems: ["CROSS_SITE_REQUEST", "UNSUPPORTED_MEDIA_TYPE"],
  guard(services, request) {
    refuseCrossSite(request.raw, services.config.publicUrl);
    refuseOtherTypes(request.raw);
    return null;
  },
};

/** Adds a rate limit by network, for operations that reveal an e-mail or password as right. */
export const countedByAddress = <P>(security: Security<P>): Security<P> => ({
  requirement: security.requirement,
  problems: [...security.problems, "RATE_LIMITED"],
  async guard(services, request, param) {
    const principal = await security.guard(services, request, param);
    countAt(services.dashboardLimiter, `dashboard ${request.network}`, request);
    return principal;
  },
});

/** Description of {@linkcode countedByAddress} in the document. */
export const DASHBOARD_RATE_NOTE =
  `One network may make at most ${DASHBOARD_SIGN_IN_RATE_PER_MINUTE} requests a minute that ` +
  "register, sign in, use a code, change a password, delete an account or invite.";

/** Admits an account with a dashboard session, unless another site made the request. */
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
    const token = readAccountToken(request.authorization);
    if (token !== null) {
      await requireTokenHolder(services, request, token);
      throw new Problem("SESSION_REQUIRED");
    }
    const account = await requireSessionAccount(services, request);
    refuseOtherTypes(request.raw);
    return account;
  },
};

const KEY_IS_NO_ACCOUNT =
  "This takes an account and no API key: sign in to the dashboard, or send " +
  "a personal access token as Authorization: Bearer <token>.";

/** Resolves to the session's account. Throws `CROSS_SITE_REQUEST` and `SIGN_IN_REQUIRED`. */
export async function requireSessionAccount(
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

/** Throws `ACCOUNT_TOKEN_INVALID`, or `RATE_LIMITED` after too many invalid ones of a network. */
async function requireTokenHolder(
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

/** Resolves to the account of the token or, without one, of the session. */
async function requireAccountCaller(
  services: GuardServices,
  request: RequestState,
): Promise<AccountCaller> {
  const token = readAccountToken(request.authorization);
  const caller = token === null
    ? { ...await requireSessionAccount(services, request), scope: SESSION_SCOPE }
    : await requireTokenHolder(services, request, token);
  refuseOtherTypes(request.raw);
  return caller;
}

/** Admits an account by its session, or by a token whose scope allows the request's method. */
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
    const caller = await requireAccountCaller(services, request);
    requireAccess(caller.scope, request.raw.method);
    return caller;
  },
};

/** Like {@linkcode sessionOrToken}, but rejects tokens that are limited to some projects. */
export const allProjects: Security<AccountCaller> = {
  ...sessionOrToken,
  async guard(services, request, param) {
    const caller = await sessionOrToken.guard(services, request, param);
    requireAllProjects(caller.scope);
    return caller;
  },
};

/** Admits members of the path's project whose role includes `role` and whose token covers it. */
export const projectMember = (role: Role): Security<ProjectMember> => ({
  requirement: sessionOrToken.requirement,
  problems: [
    ...sessionOrToken.problems,
    "INVALID_PROJECT_ID",
    "PROJECT_NOT_FOUND",
    ...(role === "viewer" ? [] : ["ROLE_REQUIRED"] as const),
  ],
  async guard(services, request, param) {
    const account = await requireAccountCaller(services, request);
    const { scope } = account;
    return await requireMember(services, request, {
      account,
      scope,
      role,
      projectId: param("projectId"),
    });
  },
});

interface MembershipRequest<A extends AccountPrincipal> {
  readonly account: A;
  /** Scope of the account's token; unbounded if left out, as for a session. */
  readonly scope?: TokenScope;
  readonly role: Role;
  readonly projectId: string;
}

/**
 * Resolves to a member. Throws `INVALID_PROJECT_ID`, `PROJECT_NOT_FOUND`, `ROLE_REQUIRED` or
 * `TOKEN_SCOPE_EXCEEDED`, which is checked last, so that only members learn of the project.
 */
export async function requireMember<A extends AccountPrincipal>(
  services: GuardServices,
  request: RequestState,
  { account, scope = SESSION_SCOPE, role, projectId }: MembershipRequest<A>,
): Promise<ProjectMember<A>> {
  const member = await memberOf(services, account, requiredProjectId(projectId));
  request.projectId = member.project._id;
  request.recordsUntil = member.project.recordsRequestsUntil ?? null;
  requireProject(scope, member.project._id);
  requireAccess(scope, request.raw.method);
  if (!roleIncludes(member.role, role)) throw new Problem("ROLE_REQUIRED");
  return member;
}

/** Like {@linkcode projectMember} for admins. Other members get `PROJECT_NOT_FOUND`. */
export const projectAdminOrHidden: Security<ProjectMember> = {
  requirement: sessionOrToken.requirement,
  problems: projectMember("viewer").problems,
  async guard(services, request, param) {
    const member = await projectMember("viewer").guard(services, request, param);
    if (!roleIncludes(member.role, "admin")) throw new Problem("PROJECT_NOT_FOUND");
    return member;
  },
};

/** A caller that may read which operations a project's applications and servers can call. */
export interface ProjectReader {
  readonly projectId: Id;
  /** Whether the caller may read operations that need the secret key. */
  readonly isTrusted: boolean;
}

/** Admits either key or a member of the path's project. Other keys get `PROJECT_NOT_FOUND`. */
export const projectReader: Security<ProjectReader> = {
  requirement: [{ apiKey: [] }, ...sessionOrToken.requirement],
  problems: ["API_KEY_INVALID", "ORIGIN_NOT_ALLOWED", ...projectMember("viewer").problems],
  async guard(services, request, param) {
    if (request.apiKey === null && hasAccountCredentials(services, request)) {
      const { project } = await projectMember("viewer").guard(services, request, param);
      return { projectId: project._id, isTrusted: true };
    }
    const { projectId, kind } = await authenticateAndLimit(services, request);
    if (requiredProjectId(param("projectId")) !== projectId) throw new Problem("PROJECT_NOT_FOUND");
    return { projectId, isTrusted: kind === "secret" };
  },
};

/** Whether a request carries a session or a personal access token, valid or not. */
function hasAccountCredentials(
  { cookies }: GuardServices,
  { raw, authorization }: RequestState,
): boolean {
  return readAccountToken(authorization) !== null ||
    readSessionCookie(cookies, raw.headers.get("cookie")) !== null;
}

/** Resolves to the key's project after checking the rate limit and the origin. */
async function authenticateAndLimit(
  services: GuardServices,
  request: RequestState,
): Promise<ApiKeyPrincipal> {
  const holder = await authenticateKey(services, request);
  recordKeyHolder(request, holder);
  countRequest(services, holder, request);
  checkOrigin(services, holder, request.origin);
  if (holder.kind === "secret") warnAboutBrowser(services, request);
  return holder;
}

/** Notes the key's project in the request, for the log and the project's recorded requests. */
export function recordKeyHolder(request: RequestState, holder: ApiKeyPrincipal): void {
  request.projectId = holder.projectId;
  request.callerKind = holder.kind;
  request.recordsUntil = holder.recordsUntil;
}

/** Warns the caller and the dashboard of a secret key in a browser. The request succeeds. */
function warnAboutBrowser({ config, keyNotes }: GuardServices, request: RequestState): void {
  const { origin, apiKey } = request;
  if (origin === null || origin === config.publicUrl) return;
  request.warning = SECRET_KEY_IN_BROWSER;
  keyNotes.noteBrowserUse(apiKey!, origin); // Authentication has required the key.
}

const SECRET_KEY_IN_BROWSER =
  "This secret key was sent by a page in a browser, where every visitor can read it: " +
  "use the publishable key there, and rotate this one.";

/** Rejects a publishable key from an origin that the project does not list, if it lists any. */
function checkOrigin(
  { config }: GuardServices,
  { kind, allowedOrigins, siteUrl }: ApiKeyPrincipal,
  origin: string | null,
): void {
  if (kind === "secret" || origin === null || allowedOrigins.length === 0) return;
  if (origin === siteUrl || origin === config.publicUrl || allowedOrigins.includes(origin)) return;
  throw new Problem("ORIGIN_NOT_ALLOWED");
}
