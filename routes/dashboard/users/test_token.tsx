import type { IssuedToken } from "@/lib/auth/issue_token.ts";
import { ACCESS_TOKEN_SECONDS } from "@/lib/limits.ts";
import { CopyField, SuccessNote } from "../components/forms.tsx";
import { Snippet } from "../components/snippet.tsx";
import { texts } from "../texts/mod.ts";

interface TestTokenProps {
  readonly action: string;
  /** A new token, which is shown only once. */
  readonly fresh: IssuedToken | null;
  readonly publicUrl: string;
  /** Publishable key, or null if only its hash is known. */
  readonly publishableKey: string | null;
}

const MINUTES = ACCESS_TOKEN_SECONDS / 60;

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
          <SuccessNote>{t.done(MINUTES)}</SuccessNote>
          <CopyField label={t.token} value={fresh.accessToken} />
          <Snippet
            label={t.curl}
            text={curlCommand(publicUrl, publishableKey ?? "pk_live_…", fresh)}
          />
        </>
      )}
    </article>
  );
};

const curlCommand = (publicUrl: string, key: string, { accessToken }: IssuedToken): string =>
  `curl '${publicUrl}/api/userAuth/me' \\
  -H 'x-api-key: ${key}' \\
  -H 'authorization: Bearer ${accessToken}'`;
