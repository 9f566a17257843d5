import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Json } from "@/lib/store/port.ts";
import { deviceText } from "../components/device.ts";
import { Ask } from "../components/forms.tsx";
import { When } from "../components/when.tsx";

interface SessionsProps {
  readonly page: RecordPage<{ [name: string]: Json }>;
  /** The path of the user's page. */
  readonly path: string;
  readonly mayChange: boolean;
  readonly isFirst: boolean;
}

/** Where a user is signed in. The names of devices are their own words. */
export const Sessions = ({ page, path, mayChange, isFirst }: SessionsProps) => (
  <article class="card">
    <h2>Sessions</h2>
    {page.items.length === 0
      ? <p>{isFirst ? "Not signed in anywhere." : "There are no more sessions."}</p>
      : (
        <ul class="rows">
          {page.items.map((session) => <SessionRow {...{ session, path, mayChange }} />)}
        </ul>
      )}
    {page.nextCursor !== null && (
      <a href={`${path}?${new URLSearchParams({ cursor: page.nextCursor })}`}>More sessions</a>
    )}
    {mayChange && page.items.length > 0 && (
      <Ask
        label="End all sessions"
        loss="The user is signed out on every device, and may sign in again."
        action={`${path}/sessions`}
        button="End all"
      />
    )}
  </article>
);

const SessionRow = (
  { session, path, mayChange }: {
    session: { [name: string]: Json };
    path: string;
    mayChange: boolean;
  },
) => {
  const [userAgent, address] = [textOf(session.userAgent), textOf(session.address)];
  const device = deviceText(userAgent);
  return (
    <li>
      <span class="grow" {...(userAgent !== null && { title: userAgent })}>
        <b>{device}</b>
        <small>
          {address !== null && `network ${address} · `}
          {"used "}
          <When at={String(session.lastUsedAt)} />
          {" · since "}
          <When at={String(session.createdAt)} />
        </small>
      </span>
      {mayChange && (
        <Ask
          label="End"
          loss="The user is signed out on this device, and may sign in again."
          action={`${path}/sessions/${session._id}`}
          button="End this session"
        />
      )}
    </li>
  );
};

const textOf = (value: Json | undefined): string | null => typeof value === "string" ? value : null;
