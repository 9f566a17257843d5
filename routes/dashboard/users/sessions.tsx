import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Json } from "@/lib/store/port.ts";
import { deviceText } from "../components/device.ts";
import { Ask } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { texts } from "../texts/mod.ts";

interface SessionsProps {
  readonly page: RecordPage<{ [name: string]: Json }>;
  /** The path of the user's page. */
  readonly path: string;
  readonly mayChange: boolean;
  readonly isFirst: boolean;
}

/** Where a user is signed in. The names of devices are their own words. */
export const Sessions = ({ page, path, mayChange, isFirst }: SessionsProps) => {
  const t = texts().users.sessions;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      {page.items.length === 0 ? <p>{isFirst ? t.none : t.noMore}</p> : (
        <ul class="rows">
          {page.items.map((session) => <SessionRow {...{ session, path, mayChange }} />)}
        </ul>
      )}
      {page.nextCursor !== null && (
        <a href={`${path}?${new URLSearchParams({ cursor: page.nextCursor })}`}>{t.more}</a>
      )}
      {mayChange && page.items.length > 0 && (
        <Ask
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
  { session, path, mayChange }: {
    session: { [name: string]: Json };
    path: string;
    mayChange: boolean;
  },
) => {
  const [userAgent, address] = [textOf(session.userAgent), textOf(session.address)];
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
      {mayChange && (
        <Ask
          label={t.end}
          loss={t.endLoss}
          action={`${path}/sessions/${session._id}`}
          button={t.endNow}
        />
      )}
    </li>
  );
};

const textOf = (value: Json | undefined): string | null => typeof value === "string" ? value : null;
