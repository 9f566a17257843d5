/** Problems of sign-in by a provider, tokens and sessions, part of `PROBLEMS`. */
export const SIGN_IN_PROBLEMS = {
  INVALID_RETURN_TO: {
    status: 400,
    message: "The return_to must be a path on the project's site that begins with one slash.",
    when: "The return_to does not begin with one slash, is on another origin after decoding and " +
      "normalization, or is too long.",
    remedy: "Send a path such as `/welcome`. To return to another site, change the " +
      "project's Site URL.",
  },
  INVALID_STATE: {
    status: 400,
    message: "This sign-in is not known in this browser, or is over: start again.",
    when: "The state is missing, unknown, expired or used, or belongs to another provider or " +
      "another browser.",
    remedy: "Start the sign-in again from your page, in the same browser. Begin it by " +
      "navigation, so that the browser stores its cookie.",
  },
  EXCHANGE_FIELDS_MISSING: {
    status: 400,
    message: "rtCode and token are required",
    when: "The body has no rtCode or no token, or one of them is not a text.",
    remedy: "Send both members as text: `rtCode` from the callback's query, and `token` " +
      "from its fragment.",
  },
  EXCHANGE_CODE_INVALID: {
    status: 400,
    message: "Invalid or expired refresh token exchange code",
    when: "The code is unknown, used, expired or for another token, or its session ended.",
    remedy: "Exchange the code once, right after the callback, together with the token of the " +
      "same callback. Otherwise sign in again.",
  },
  ACCESS_TOKEN_REQUIRED: {
    status: 401,
    message: "This needs a signed-in user: send Authorization: Bearer <accessToken>.",
    when: "A bearer token is missing in a request that needs a signed-in user.",
    remedy: "Sign the user in, and send the access token as `Authorization: Bearer " +
      "<accessToken>` together with the publishable key.",
  },
  ACCESS_TOKEN_INVALID: {
    status: 401,
    message: "The access token is not valid: renew it, or sign in again.",
    when:
      "The bearer token is malformed, forged, expired, revoked, of another project, or sent in " +
      "`Authorization` without `Bearer`; the message says which, according to the token itself.",
    remedy: "Renew the token by `POST /api/userAuth/refresh-token`, and repeat the request. If " +
      "that is refused, ask the user to sign in.",
  },
  REFRESH_TOKEN_INVALID: {
    status: 401,
    message: "The refresh token is not valid: sign in again.",
    when: "The refresh token is missing, malformed, unknown, used, expired or revoked.",
    remedy: "Ask the user to sign in again. A refresh token can be used once: store the new one " +
      "of each answer, and renew from one place at a time.",
  },
  PROVIDER_UNKNOWN: {
    status: 404,
    message: "There is no such sign-in provider.",
    when: "The path names a provider that this server does not have.",
    remedy: "Use `github` or `google`, in lower case. `dev` is available only in `deno task dev`.",
  },
  SESSION_NOT_FOUND: {
    status: 404,
    message: "There is no such session.",
    when: "The session does not exist, has ended, or belongs to another user.",
    remedy: "List the sessions again. A session that is not in the list has ended.",
  },
  PROVIDER_NOT_CONFIGURED: {
    status: 422,
    message:
      "This provider is not enabled for the project, or its client id or secret is missing: " +
      "set it up on the project's sign-in page in the dashboard.",
    when: "The project has not set up the provider, or has disabled it.",
    remedy: "Enter the provider's client id and secret on the project's sign-in page, and " +
      "enable it.",
  },
  PROVIDER_INCOMPLETE: {
    status: 422,
    message: "To be enabled, the provider needs a client id and a client secret.",
    when: "A provider is enabled without a client id or a client secret; the message names which.",
    remedy:
      "Send the member that the message names, or save the provider disabled until you have " +
      "it.",
  },
  SITE_URL_MISSING: {
    status: 422,
    message: "The project has no Site URL: set it in the project's settings.",
    when: "The project has no Site URL to which signed-in users could return.",
    remedy: "Set the Site URL in the project's settings: the origin of your front end, " +
      "such as `https://app.example`.",
  },
} as const;
