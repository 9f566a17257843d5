import { REFRESH_REPLAYS_MAX } from "@/lib/limits.ts";
import { answered } from "../answers.ts";
import { contract } from "../contract.ts";
import { pageQuery, refreshToken, refreshTokenMode, sessionId } from "../parameters.ts";
import {
  ACCESS_TOKEN_EXAMPLE,
  EndedSession,
  ExchangeInput,
  ExchangeResult,
  LoggedOut,
  LogoutInput,
  REFRESH_TOKEN_EXAMPLE,
  RefreshInput,
  Renewed,
  RENEWED_EXAMPLE,
  SESSION_EXAMPLE,
  SessionList,
} from "../schemas/session.ts";
import { EndedSessions } from "../schemas/user.ts";
import { sessionKey, signedInUser, signInKey, userKey } from "../security.ts";
import { EXAMPLE_ID } from "../schemas/values.ts";

const TAG = "Sessions";
const SETS_COOKIE = {
  "set-cookie": "Holds the refresh token, for browsers. Left out with `x-refresh-token-mode: " +
    "header`, and for an origin from which the cookie would not count.",
};
const CLEARS_COOKIE = { "set-cookie": "Removes the cookie, where it counts." };

const refreshBody = {
  schema: RefreshInput,
  example: { refreshToken: REFRESH_TOKEN_EXAMPLE },
  description: "The refresh token, where neither a header nor a cookie has it.",
  optional: true,
  overriddenBy: "x-refresh-token",
};

export const exchangeCode = contract({
  operationId: "exchangeCode",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/social/exchange",
  summary: "Exchange a one-time code for the user's refresh token",
  description: "The last step of social sign-in: the callback page sends the code and the access " +
    "token it was given, within 60 seconds and once. `Authorization` is not looked at.",
  security: signInKey,
  headers: { "x-refresh-token-mode": refreshTokenMode },
  body: {
    schema: ExchangeInput,
    example: {
      rtCode: "uU0nuZNNPgilLlLX2n2r-sSE7-N6U4DukIj3rOLvzek",
      token: ACCESS_TOKEN_EXAMPLE,
    },
    description: "Both as the callback page was given them.",
    problem: "EXCHANGE_FIELDS_MISSING",
  },
  success: [{
    status: 200,
    description: "The first refresh token of the session.",
    data: ExchangeResult,
    example: { refreshToken: REFRESH_TOKEN_EXAMPLE },
    message: "Signed in",
    headers: SETS_COOKIE,
  }],
  problems: ["EXCHANGE_CODE_INVALID"],
});

export const refreshSession = contract({
  operationId: "refreshSession",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/refresh-token",
  summary: "Renew the user's access token",
  description: "Each refresh token is used once: the answer, or the cookie, has its successor. " +
    `One that comes again within 10 seconds, up to ${REFRESH_REPLAYS_MAX} times, is answered with ` +
    "the same successor, or with the newest that came of it, for tabs and lost answers. One that " +
    "comes later was stolen, and ends the session: a used token is known for as long as it would " +
    "have lived.\n\n" +
    "The cookie counts for pages of the Site URL's origin and of `allowedOrigins`, and for what is " +
    "no browser: a request without `Origin` and without any `Sec-Fetch-` header.\n\n" +
    "`Authorization` is not looked at, because the access token has often expired. A refusal " +
    "leaves the cookie as it is, because another tab may have renewed it.",
  security: signInKey,
  headers: { "x-refresh-token": refreshToken, "x-refresh-token-mode": refreshTokenMode },
  body: refreshBody,
  success: [{
    status: 200,
    description: "The tokens. `refreshToken` is there when it came in the header or the body.",
    data: Renewed,
    example: RENEWED_EXAMPLE,
    message: "Access token renewed",
    headers: SETS_COOKIE,
  }],
  problems: ["REFRESH_TOKEN_INVALID"],
});

export const logout = contract({
  operationId: "logout",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/logout",
  summary: "Sign the user out",
  description: "Ends the session of the refresh token, used or not, and that of the access token " +
    "if one is sent. The answer is the same whatever is sent: what is not valid any more, or cannot be " +
    "read, has nothing left to end.",
  security: sessionKey,
  headers: { "x-refresh-token": refreshToken },
  body: { ...refreshBody, schema: LogoutInput, lenient: true },
  success: [{
    status: 200,
    description: "Signed out, now or before.",
    data: LoggedOut,
    example: { success: true, message: "Signed out" },
    message: "Signed out",
    headers: CLEARS_COOKIE,
  }],
  problems: [],
});

export const logoutAll = contract({
  operationId: "logoutAll",
  tag: TAG,
  method: "post",
  path: "/api/userAuth/logout-all",
  summary: "Sign the user out everywhere",
  description:
    "Ends all sessions of the user, who is told by the access token, or without one by " +
    "the refresh token.",
  security: userKey,
  headers: { "x-refresh-token": refreshToken },
  body: refreshBody,
  success: [{
    status: 200,
    description: "How many sessions ended.",
    data: EndedSessions,
    example: { ended: 2 },
    message: "Signed out everywhere",
    headers: CLEARS_COOKIE,
  }],
  problems: ["ACCESS_TOKEN_REQUIRED", "REFRESH_TOKEN_INVALID"],
});

export const listSessions = contract({
  operationId: "listSessions",
  tag: TAG,
  method: "get",
  path: "/api/userAuth/sessions",
  summary: "List the signed-in user's sessions",
  description: "The devices on which the user is signed in, the newest first.",
  security: signedInUser,
  query: pageQuery,
  success: answered("Sessions listed", "The sessions that stand.", {
    data: SessionList,
    example: { items: [SESSION_EXAMPLE], nextCursor: null },
  }),
  problems: ["INVALID_CURSOR"],
});

export const endSession = contract({
  operationId: "endSession",
  tag: TAG,
  method: "delete",
  path: "/api/userAuth/sessions/{id}",
  summary: "End one of the signed-in user's sessions",
  description: "Signs the user out on that device.",
  security: signedInUser,
  params: { id: sessionId },
  success: answered("Session ended", "The id of the ended session.", {
    data: EndedSession,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["SESSION_NOT_FOUND"],
});

/** In the order of the reference. */
export const SESSIONS = {
  exchangeCode,
  refreshSession,
  logout,
  logoutAll,
  listSessions,
  endSession,
};
