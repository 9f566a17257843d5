import type { AccountSessionDetails } from "@/lib/accounts/list_account_sessions.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import { deviceText } from "../components/device.ts";
import { ConfirmForm, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { PageLinks } from "../paging.tsx";
import { texts } from "../texts/mod.ts";

export const Sessions = (
  { page: { items, nextCursor }, path, query, problem }: {
    page: RecordPage<AccountSessionDetails>;
    path: string;
    query: string;
    problem: Problem | null;
  },
) => {
  const t = texts().accounts.sessions;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <Refusal problem={problem} />
      <ul class="rows">
        {items.map((session) => <SessionRow session={session} path={path} />)}
      </ul>
      <PageLinks path={path} query={query} nextCursor={nextCursor} what={t.pages} />
      {(items.length > 1 || nextCursor !== null) && (
        <ConfirmForm
          label={t.endOthers}
          action={`${path}/sessions`}
          loss={t.endOthersLoss}
          button={t.endOthersNow}
        />
      )}
    </article>
  );
};

const SessionRow = ({ session, path }: { session: AccountSessionDetails; path: string }) => {
  const t = texts().accounts.sessions;
  const device = deviceText(session.userAgent);
  const when = <When at={session.lastUsedAt} />;
  return (
    <li>
      <span class="grow" title={session.userAgent ?? t.unknown}>
        <b>{device}</b> {session.current && <span class="badge on">{t.current}</span>}
        <small>
          {session.address === null ? t.used(when) : t.usedFrom(session.address, when)}
        </small>
      </span>
      {!session.current && (
        <ConfirmForm
          label={t.end}
          action={`${path}/sessions/${session._id}`}
          loss={t.endLoss}
          button={t.endNow(device)}
        />
      )}
    </li>
  );
};
