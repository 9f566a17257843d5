import type { ShownAccountSession } from "@/lib/accounts/list_account_sessions.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import { deviceText } from "../components/device.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { Pages } from "../paging.tsx";

/** Where the account is signed in, with what ends it. */
export const Sessions = (
  { page: { items, nextCursor }, path, query, problem }: {
    page: RecordPage<ShownAccountSession>;
    path: string;
    query: string;
    problem: Problem | null;
  },
) => (
  <article class="card">
    <h2>Sessions</h2>
    <p>Where you are signed in. End what you do not know, then change your password.</p>
    <Refusal problem={problem} />
    <ul class="rows">
      {items.map((session) => <SessionRow session={session} path={path} />)}
    </ul>
    <Pages path={path} query={query} nextCursor={nextCursor} what="sessions" />
    {(items.length > 1 || nextCursor !== null) && (
      <Ask
        label="End all others"
        action={`${path}/sessions`}
        loss="All other devices are signed out at once."
        button="End all other sessions"
      />
    )}
  </article>
);

const SessionRow = ({ session, path }: { session: ShownAccountSession; path: string }) => (
  <li>
    <span class="grow" title={session.userAgent ?? "unknown"}>
      <b>{deviceText(session.userAgent)}</b>{" "}
      {session.current && <span class="badge on">this one</span>}
      <small>
        {session.address !== null && `network ${session.address} · `}
        {"used "}
        <When at={session.lastUsedAt} />
      </small>
    </span>
    {!session.current && (
      <Ask
        label="End"
        action={`${path}/sessions/${session._id}`}
        loss="This device is signed out at once; what is typed there and not saved is lost."
        button={`End ${deviceText(session.userAgent)}`}
      />
    )}
  </li>
);
