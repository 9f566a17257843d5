import type { AuthorizationServer } from "oauth4webapi";
import type { Clock } from "../../clock.ts";
import { decodeBase64Url, encodeBase64Url } from "../../crypto/base64.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { Secret } from "../../crypto/secret.ts";
import { sign, unsign } from "../../crypto/signed.ts";
import { canonicalEmail, isPlainEmail } from "../../emails.ts";
import { EXCHANGE_CODE_MS } from "../../limits.ts";
import { Problem } from "../../problems.ts";
import { jsonText, parseJson } from "../../store/json_text.ts";
import { callbackUrl } from "../callback_url.ts";
import { SignInFailed } from "../failures.ts";
import type { Profile, Provider, SelectableUser } from "../provider.ts";
import { projectOfState } from "../states.ts";

const NAME = "dev";
const ONE_ADDRESS = "The e-mail must be one plain address, such as ada@example.com.";
const PURPOSE = "chosen user";

/** Users that the page offers. The last one owns the notes of the demo project. */
const USERS: readonly SelectableUser[] = [
  { name: "Ada Lovelace", username: "ada", email: "ada@example.com" },
  { name: "Grace Hopper", username: "grace", email: "grace@example.com" },
  { name: "Alan Turing", username: "alan", email: "alan@example.com" },
  { name: null, username: null, email: "demo@example.com" },
];

/** Settings for every project. The secrets are the state and the verifier of each sign-in. */
const SETTINGS = {
  enabled: true,
  clientId: NAME,
  clientSecret: new Secret(NAME),
  linking: "verified",
} as const;

/** Content of a code, which is valid only with the verifier of the challenge. */
type GrantedCode = { email: string; challenge: string; expiresAt: number };

/**
 * Creates a provider without passwords: users are chosen on a page of this server. Returns null
 * outside of local development. @param keys Keys that sign codes, newest first.
 */
export function development(
  { isLocalDev, publicUrl }: { isLocalDev: boolean; publicUrl: string },
  { clock, keys }: { clock: Clock; keys: readonly string[] },
): Provider | null {
  if (!isLocalDev) return null;
  const page = "/dashboard/choose-user"; // Served by routes/dashboard/social.
  const callback = callbackUrl(publicUrl, NAME);
  const server: AuthorizationServer = {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + page,
    token_endpoint: `${publicUrl}${page}/token`,
  };

  /** Returns the content of a valid code, or null. */
  function readCode(code: string): GrantedCode | null {
    const text = unsign(keys, PURPOSE, code);
    if (text === null) return null;
    const granted = parseJson(new TextDecoder().decode(decodeBase64Url(text))) as GrantedCode;
    return granted.expiresAt > clock.now() ? granted : null;
  }

  function answerTokenRequest(request: URLSearchParams): Response {
    const code = request.get("code") ?? "";
    const isForUs = request.get("redirect_uri") === callback && request.get("client_id") === NAME;
    const challenge = sha256(request.get("code_verifier") ?? "");
    if (!isForUs || readCode(code)?.challenge !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    return Response.json({ access_token: code, token_type: "bearer" });
  }

  return {
    title: "Development sign-in",
    consoleUrl: `${publicUrl}/docs/guides/auth`,
    scope: "email",
    idTokens: null,
    server: () => Promise.resolve(server),
    profile({ accessToken }) {
      const granted = readCode(accessToken);
      if (granted === null) throw new SignInFailed("unverified", "invalid code");
      return Promise.resolve(profileOf(granted.email));
    },
    chooser: {
      settings: SETTINGS,
      users: USERS,
      answer: (_url, { body }) =>
        Promise.resolve(answerTokenRequest(body ?? new URLSearchParams())),
      assertStarted: (query) => void parseStart(query, callback),
      choose(query, email) {
        const { state, challenge } = parseStart(query, callback);
        if (!isPlainEmail(email)) throw new Problem("INVALID_INPUT", { message: ONE_ADDRESS });
        const granted: GrantedCode = {
          email,
          challenge,
          expiresAt: clock.now() + EXCHANGE_CODE_MS,
        };
        const text = encodeBase64Url(new TextEncoder().encode(jsonText(granted)));
        const code = sign(keys[0]!, PURPOSE, text);
        return `${callback}?${new URLSearchParams({ code, state })}`;
      },
    },
  };
}

/** Parses the query of a started sign-in. Throws `INVALID_QUERY` for any other. */
function parseStart(
  query: URLSearchParams,
  callback: string,
): { state: string; challenge: string } {
  const only = (name: string): string => {
    const values = query.getAll(name);
    return values.length === 1 ? values[0]! : "";
  };
  const [state, challenge] = [only("state"), only("code_challenge")];
  const isBegun = only("response_type") === "code" && only("client_id") === NAME &&
    only("redirect_uri") === callback && only("code_challenge_method") === "S256" &&
    projectOfState(state) !== null && /^[\w-]{43}$/.test(challenge);
  if (isBegun) return { state, challenge };
  throw new Problem("INVALID_QUERY", {
    message: "No sign-in was started with this address: start it in your application.",
  });
}

function profileOf(email: string): Profile {
  const providerUserId = canonicalEmail(email);
  const { name, username } = USERS.find((one) => one.email === providerUserId) ??
    { name: null, username: null };
  return { providerUserId, email, name, username, avatarUrl: null };
}
