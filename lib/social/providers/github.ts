import type { AuthorizationServer } from "oauth4webapi";
import { PERSON_NAME_LENGTH_MAX, USERNAME_LENGTH_MAX } from "../../limits.ts";
import type { Json } from "../../store/port.ts";
import { SignInFailed } from "../failures.ts";
import { toEmail, toLine, toPictureUrl } from "../profile.ts";
import type { Provider } from "../provider.ts";
import { jsonOf, type ProviderHttp } from "../provider_http.ts";

const API_VERSION = "2022-11-28";

/**
 * Reads the user from GitHub's API, as GitHub lacks OpenID. The numeric id identifies an account,
 * since a login can pass to another person. The e-mail is the verified primary one of
 * `/user/emails`.
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
        requestApi(http, `${githubApiUrl}/user`, accessToken).then(jsonOf),
        requestApi(http, `${githubApiUrl}/user/emails?per_page=100`, accessToken).then(readEmails),
      ]);
      const { id, login, name, avatar_url } = membersOf(user);
      if (!Number.isSafeInteger(id) || (id as number) <= 0) {
        throw new SignInFailed("unverified", "the id is not a number");
      }
      return {
        providerUserId: String(id),
        email: primaryEmail(emails),
        name: toLine(name, PERSON_NAME_LENGTH_MAX),
        username: toLine(login, USERNAME_LENGTH_MAX),
        avatarUrl: toPictureUrl(avatar_url),
      };
    },
  };
}

async function requestApi(http: ProviderHttp, url: string, accessToken: string): Promise<Response> {
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${accessToken}`,
    "x-github-api-version": API_VERSION,
  };
  return await http.fetch(url, { headers });
}

/**
 * Returns none if the application may not read addresses. A rate limit has the same status but is a
 * failure: without an address the person could become a different user.
 */
async function readEmails(response: Response): Promise<Json> {
  const { status, headers } = response;
  const isLimited = headers.get("x-ratelimit-remaining") === "0" || headers.has("retry-after");
  if ((status === 403 || status === 404) && !isLimited) return [];
  return await jsonOf(response);
}

function primaryEmail(emails: Json): string | null {
  if (!Array.isArray(emails)) throw new SignInFailed("unavailable", "no list of e-mails");
  const primary = emails.map(membersOf).find(({ primary, verified }) =>
    primary === true && verified === true
  );
  return toEmail(primary?.email);
}

const membersOf = (value: Json): { [name: string]: Json | undefined } =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
