import { z } from "@hono/zod-openapi";
import { PROBLEMS } from "@/lib/problems.ts";
import { ACCESS_TOKEN_SECONDS, DEVICE_NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { openBodyOf } from "../inputs.ts";
import { EXAMPLE_ID, id, pageOf, time } from "./values.ts";

export const ACCESS_TOKEN_EXAMPLE = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiI2NmYxIn0.c2lnbmF0dXJl";
export const REFRESH_TOKEN_EXAMPLE = `${EXAMPLE_ID}.47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU`;

const refreshToken = z.string().openapi({
  description: "Single-use: the answer has the next one.",
});

const MISSING = PROBLEMS.EXCHANGE_FIELDS_MISSING.message;
const part = () => z.string(MISSING).min(1, MISSING);

export const ExchangeInput = z.looseObject({
  rtCode: part().openapi({ description: "The one-time code from the query string." }),
  token: part().openapi({ description: "The access token from the fragment." }),
}, MISSING).openapi("ExchangeInput", {
  example: { rtCode: "uU0nuZNNPgilLlLX2n2r-sSE7-N6U4DukIj3rOLvzek", token: ACCESS_TOKEN_EXAMPLE },
});

export const ExchangeResult = z.strictObject({ refreshToken })
  .openapi("ExchangeResult", { example: { refreshToken: REFRESH_TOKEN_EXAMPLE } });

export const RefreshInput = openBodyOf({
  refreshToken: z.string('"refreshToken" must be text.').nullish()
    .openapi({ description: "Single-use: the answer has the next one." }),
}).optional()
  .openapi("RefreshInput", { example: { refreshToken: REFRESH_TOKEN_EXAMPLE } });

export const LogoutInput = z.unknown().transform((body) => RefreshInput.safeParse(body).data)
  .openapi("LogoutInput", {
    description: "As for a refresh. Other content is ignored, because a logout never fails.",
    example: { refreshToken: REFRESH_TOKEN_EXAMPLE },
  });

export const RENEWED_EXAMPLE = {
  accessToken: ACCESS_TOKEN_EXAMPLE,
  token: ACCESS_TOKEN_EXAMPLE,
  expiresIn: ACCESS_TOKEN_SECONDS,
  refreshToken: REFRESH_TOKEN_EXAMPLE,
};

export const Renewed = z.strictObject({
  accessToken: z.string(),
  token: z.string().openapi({ description: "Repeats `accessToken`." }),
  expiresIn: z.int().openapi({ description: "Seconds until the access token expires." }),
  refreshToken: refreshToken.optional().openapi({
    description: "The next refresh token; left out if it is in the cookie.",
  }),
}).openapi("Renewed", { example: RENEWED_EXAMPLE });

export const TEST_TOKEN_EXAMPLE = {
  accessToken: ACCESS_TOKEN_EXAMPLE,
  expiresIn: ACCESS_TOKEN_SECONDS,
  sessionId: EXAMPLE_ID,
};

export const TestToken = z.strictObject({
  accessToken: z.string().openapi({ description: "Shown only once." }),
  expiresIn: z.int().openapi({
    description: "Seconds until the token expires and its session ends.",
  }),
  sessionId: id.openapi({ description: "The session of the token." }),
}).openapi("TestToken", { example: TEST_TOKEN_EXAMPLE });

export const SESSION_EXAMPLE = {
  _id: EXAMPLE_ID,
  createdAt: "2026-01-31T12:00:00.000Z",
  lastUsedAt: "2026-01-31T12:30:00.000Z",
  expiresAt: "2026-03-02T12:30:00.000Z",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
  address: "203.0.113.0",
  current: true,
};

const Session = z.strictObject({
  _id: id,
  createdAt: time,
  lastUsedAt: time.openapi({ description: "When it was opened or last refreshed." }),
  expiresAt: time.openapi({ description: "Extended by every refresh." }),
  userAgent: z.string().nullable().openapi({
    description: `The first ${DEVICE_NAME_LENGTH_MAX} characters of the header.`,
  }),
  address: z.string().nullable().openapi({
    description: "The network of the device that opened the session: /24 of IPv4, /48 of IPv6.",
  }),
  current: z.boolean().openapi({ description: "Whether it is the caller's session." }),
}).openapi("Session", { description: "A signed-in device.", example: SESSION_EXAMPLE });

export const SessionList = pageOf(Session, "SessionList", SESSION_EXAMPLE);

export const EndedSession = z.strictObject({ id })
  .openapi("EndedSession", { example: { id: EXAMPLE_ID } });

export const LoggedOut = z
  .strictObject({ success: z.literal(true), message: z.string() })
  .openapi("LoggedOut", { example: { success: true, message: "Signed out" } });
