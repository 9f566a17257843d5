import { REFRESH_REPLAYS_MAX } from "@/lib/limits.ts";
import { okAnswer } from "../answers.ts";
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
  "set-cookie": "The refresh token, for browsers. Left out with `x-refresh-token-mode: header`, " +
    "and for origins from which the cookie is not accepted.",
};
const CLEARS_COOKIE = {
  "set-cookie": "Removes the cookie, for origins from which it is accepted.",
};

const refreshBody = {
  schema: RefreshInput,
  example: { refreshToken: REFRESH_TOKEN_EXAMPLE },
  description: "The refresh token, if it is neither in the header nor in a cookie.",
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
    "token that it received, once and within 60 seconds. `Authorization` is ignored.",
  security: signInKey,
  headers: { "x-refresh-token-mode": refreshTokenMode },
  body: {
    schema: ExchangeInput,
    example: {
      rtCode: "uU0nuZNNPgilLlLX2n2r-sSE7-N6U4DukIj3rOLvzek",
      token: ACCESS_TOKEN_EXAMPLE,
    },
    description: "The code and the token that the callback page received.",
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
  description: "A refresh token is single-use: the answer, or the cookie, has the next one. If " +
    `it is sent again within 10 seconds, up to ${REFRESH_REPLAYS_MAX} times, the answer has the ` +
    "same next token or the newest one, because of other tabs and lost answers. If it is sent " +
    "later, it is considered stolen and the session ends. Used tokens are remembered until they " +
    "would have expired.\n\n" +
    "The cookie is accepted from pages of the Site URL's origin and of `allowedOrigins`, and " +
    "from programs: requests without `Origin` and without a `Sec-Fetch-` header.\n\n" +
    "`Authorization` is ignored, because the access token has often expired. A refusal leaves " +
    "the cookie unchanged, because another tab may have renewed it.",
  security: signInKey,
  headers: { "x-refresh-token": refreshToken, "x-refresh-token-mode": refreshTokenMode },
  body: refreshBody,
  success: [{
    status: 200,
    description: "The tokens. `refreshToken` is included if it was sent in the header or the body.",
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
  description: "Ends the session of the refresh token, used or not, and the session of the " +
    "access token if one is sent. Invalid tokens are ignored, and the answer is always the same.",
  security: sessionKey,
  headers: { "x-refresh-token": refreshToken },
  body: { ...refreshBody, schema: LogoutInput, lenient: true },
  success: [{
    status: 200,
    description: "The user is signed out.",
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
  description: "Ends all sessions of the user, who is identified by the access token, or without " +
    "one by the refresh token.",
  security: userKey,
  headers: { "x-refresh-token": refreshToken },
  body: refreshBody,
  success: [{
    status: 200,
    description: "Number of ended sessions.",
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
  description: "The devices on which the user is signed in, newest first.",
  security: signedInUser,
  query: pageQuery,
  success: okAnswer("Sessions listed", "The open sessions.", {
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
  success: okAnswer("Session ended", "The id of the ended session.", {
    data: EndedSession,
    example: { id: EXAMPLE_ID },
  }),
  problems: ["SESSION_NOT_FOUND"],
});

export const SESSIONS = {
  exchangeCode,
  refreshSession,
  logout,
  logoutAll,
  listSessions,
  endSession,
};
