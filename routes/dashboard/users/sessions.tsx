import type { RecordPage } from "@/lib/page.ts";
import type { Json } from "@/lib/store/port.ts";
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
        <div class="scroll" role="region" aria-label="Sessions" tabindex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col">Address</th>
                <th scope="col">Last used</th>
                <th scope="col">Since</th>
                {mayChange && <th scope="col">End</th>}
              </tr>
            </thead>
            <tbody>
              {page.items.map((session) => (
                <tr>
                  <td title={textOf(session.userAgent)}>{textOf(session.userAgent)}</td>
                  <td>{textOf(session.address)}</td>
                  <td>
                    <When at={String(session.lastUsedAt)} />
                  </td>
                  <td>
                    <When at={String(session.createdAt)} />
                  </td>
                  {mayChange && (
                    <td>
                      <Ask
                        label="End"
                        loss="The user is signed out on this device, and may sign in again."
                        action={`${path}/sessions/${session._id}/end`}
                        button="End this session"
                      />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    {page.nextCursor !== null && (
      <a href={`${path}?${new URLSearchParams({ cursor: page.nextCursor })}`}>More sessions</a>
    )}
    {mayChange && page.items.length > 0 && (
      <Ask
        label="End all sessions"
        loss="The user is signed out on every device, and may sign in again."
        action={`${path}/sessions/end`}
        button="End all"
      />
    )}
  </article>
);

const textOf = (value: Json | undefined): string => typeof value === "string" ? value : "unknown";
