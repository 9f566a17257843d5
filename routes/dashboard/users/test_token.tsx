import type { IssuedToken } from "@/lib/auth/issue_token.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import { CopyField, Done } from "../components/forms.tsx";
import { Snippet } from "../components/snippet.tsx";
import { texts } from "../texts/mod.ts";

interface TestTokenProps {
  readonly action: string;
  /** One that has just been made: it is shown this once. */
  readonly fresh: IssuedToken | null;
  readonly publicUrl: string;
  /** Null where it is not known. */
  readonly publishableKey: string | null;
}

const MINUTES = ACCESS_TOKEN_SECONDS / 60;

/** A token to try calls with, as this user. */
export const TestToken = ({ action, fresh, publicUrl, publishableKey }: TestTokenProps) => {
  const t = texts().users.testToken;
  return (
    <article class="card" id="test-token">
      <h2>{t.title}</h2>
      <p>{t.about(MINUTES)}</p>
      <form method="post" action={`${action}#test-token`}>
        <button class="quiet">{fresh === null ? t.create : t.another}</button>
      </form>
      {fresh !== null && (
        <>
          <Done>{t.done(MINUTES)}</Done>
          <CopyField label={t.token} value={fresh.accessToken} />
          <Snippet
            label={t.curl}
            text={curlOf(publicUrl, publishableKey ?? "pk_live_…", fresh)}
          />
        </>
      )}
    </article>
  );
};

const curlOf = (publicUrl: string, key: string, { accessToken }: IssuedToken): string =>
  `curl '${publicUrl}/api/userAuth/me' \\
  -H 'x-api-key: ${key}' \\
  -H 'authorization: Bearer ${accessToken}'`;
