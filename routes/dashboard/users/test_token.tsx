import type { IssuedToken } from "@/lib/auth/issue_token.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import { CopyField, Done } from "../components/forms.tsx";
import { Snippet } from "../components/snippet.tsx";

interface TestTokenProps {
  readonly action: string;
  /** One that has just been made: it is shown this once. */
  readonly fresh: IssuedToken | null;
  readonly publicUrl: string;
  /** Null where it is not known. */
  readonly publishableKey: string | null;
}

const LIFETIME = `${ACCESS_TOKEN_SECONDS / 60} minutes`;

/** A token to try calls with, as this user. */
export const TestToken = ({ action, fresh, publicUrl, publishableKey }: TestTokenProps) => (
  <article class="card" id="test-token">
    <h2>Test token</h2>
    <p>
      An access token of this user, to try calls as they would make them. It is good for {LIFETIME}
      {" "}
      and opens a session, which ends with it or by “End” above.
    </p>
    <form method="post" action={`${action}#test-token`}>
      <button class="quiet">{fresh === null ? "Create test token" : "Create another"}</button>
    </form>
    {fresh !== null && (
      <>
        <Done>{`Good for ${LIFETIME}, and shown this once.`}</Done>
        <CopyField label="Access token" value={fresh.accessToken} />
        <Snippet
          label="The user's own profile, with curl"
          text={curlOf(publicUrl, publishableKey ?? "pk_live_…", fresh)}
        />
      </>
    )}
  </article>
);

const curlOf = (publicUrl: string, key: string, { accessToken }: IssuedToken): string =>
  `curl '${publicUrl}/api/userAuth/me' \\
  -H 'x-api-key: ${key}' \\
  -H 'authorization: Bearer ${accessToken}'`;
