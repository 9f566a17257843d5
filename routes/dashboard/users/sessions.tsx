import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Json } from "@/lib/store/port.ts";
import { deviceText } from "../components/device.ts";
import { ConfirmForm } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

interface SessionsProps {
  readonly page: RecordPage<{ [name: string]: Json }>;
  readonly path: string;
  readonly canChange: boolean;
  readonly isFirst: boolean;
}

/** Card with the sessions of a user. User agents are untrusted text. */
export const Sessions = ({ page, path, canChange, isFirst }: SessionsProps) => {
  const t = texts().users.sessions;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {page.items.length === 0 ? <p>{isFirst ? t.none : t.noMore}</p> : (
        <ul class="rows">
          {page.items.map((session) => <SessionRow {...{ session, path, canChange }} />)}
        </ul>
      )}
      {page.nextCursor !== null && (
        <a href={`${path}?${new URLSearchParams({ cursor: page.nextCursor })}`}>{t.more}</a>
      )}
      {canChange && page.items.length > 0 && (
        <ConfirmForm
          label={t.endAll}
          loss={t.endAllLoss}
          action={`${path}/sessions`}
          button={t.endAllNow}
        />
      )}
    </article>
  );
};

const SessionRow = (
  { session, path, canChange }: {
    session: { [name: string]: Json };
    path: string;
    canChange: boolean;
  },
) => {
  const [userAgent, address] = [toText(session.userAgent), toText(session.address)];
  const t = texts().users.sessions;
  const used = <When at={String(session.lastUsedAt)} />;
  const since = <When at={String(session.createdAt)} />;
  return (
    <li>
      <span class="grow" title={userAgent ?? undefined}>
        <b>{deviceText(userAgent)}</b>
        <small>
          {address === null ? t.used(used, since) : t.usedFrom(address, used, since)}
        </small>
      </span>
      {canChange && (
        <ConfirmForm
          label={t.end}
          loss={t.endLoss}
          action={`${path}/sessions/${session._id}`}
          button={t.endNow}
        />
      )}
    </li>
  );
};

const toText = (value: Json | undefined): string | null => typeof value === "string" ? value : null;
