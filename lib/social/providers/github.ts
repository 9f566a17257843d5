import type { AuthorizationServer } from "oauth4webapi";
import { PERSON_NAME_LENGTH_MAX, USERNAME_LENGTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import { SignInFailed } from "../failures.ts";
import { emailOf, lineOf, pictureOf } from "../profile.ts";
import type { Provider } from "../provider.ts";
import { jsonOf, type ProviderHttp } from "../provider_http.ts";

const API_VERSION = "2022-11-28";

/**
 * GitHub, or a GitHub Enterprise server. It is no OpenID provider: who signed in is asked of its
 * API. An account is its number, because a login can be given up and taken by somebody else. The
 * e-mail of a profile is only what the user wants to be seen; proven is what `/user/emails` calls
 * verified, and of these the primary one is the user's choice.
 */
export function github(
  { githubUrl, githubApiUrl }: { githubUrl: string; githubApiUrl: string },
): Provider {
  const server: AuthorizationServer = {
    issuer: `${githubUrl}/login/oauth`,
    authorization_endpoint: `${githubUrl}/login/oauth/authorize`,
    token_endpoint: `${githubUrl}/login/oauth/access_token`,
  };

  return {
    title: "GitHub",
    consoleUrl: `${githubUrl}/settings/developers`,
    scope: "read:user user:email",
    idTokens: null,
    server: () => Promise.resolve(server),
    async profile({ accessToken }, http) {
      const [user, emails] = await Promise.all([
        ask(http, `${githubApiUrl}/user`, accessToken).then(jsonOf),
        ask(http, `${githubApiUrl}/user/emails?per_page=100`, accessToken).then(emailsOf),
      ]);
      const { id, login, name, avatar_url } = membersOf(user);
      if (!Number.isSafeInteger(id) || (id as number) <= 0) {
        throw new SignInFailed("unverified", "the id is no number");
      }
      return {
        providerUserId: String(id),
        email: primaryOf(emails),
        name: lineOf(name, PERSON_NAME_LENGTH_MAX),
        username: lineOf(login, USERNAME_LENGTH_MAX),
        avatarUrl: pictureOf(avatar_url),
      };
    },
  };
}

async function ask(http: ProviderHttp, url: string, accessToken: string): Promise<Response> {
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${accessToken}`,
    "x-github-api-version": API_VERSION,
  };
  return await http.fetch(url, { headers });
}

/**
 * The addresses of a user; none if the application may not read them, as a GitHub App without the
 * permission for e-mail addresses. A refusal by a rate limit has the same status and is a failure:
 * without their address a user could become another one.
 */
async function emailsOf(response: Response): Promise<Json> {
  const { status, headers } = response;
  const isLimited = headers.get("x-ratelimit-remaining") === "0" || headers.has("retry-after");
  if ((status === 403 || status === 404) && !isLimited) return [];
  return await jsonOf(response);
}

function primaryOf(emails: Json): string | null {
  if (!Array.isArray(emails)) throw new SignInFailed("unavailable", "no list of e-mails");
  const primary = emails.map(membersOf).find(({ primary, verified }) =>
    primary === true && verified === true
  );
  return emailOf(primary?.email);
}

const membersOf = (value: Json): { [name: string]: Json | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
