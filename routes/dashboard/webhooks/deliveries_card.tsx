import { listDeliveries, type ShownDelivery } from "@/lib/events/webhooks/delivery_log.ts";
import type { WebhookPlace } from "@/lib/events/webhooks/signatures.ts";
import { WEBHOOK_LOG_DAYS } from "@/lib/limits.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { Pages, pagingOf } from "../paging.tsx";
import { attempt } from "../replies.ts";

const ROWS = 50;

interface Listed extends RecordPage<ShownDelivery> {
  readonly problem: Problem | null;
}

/** One page; a cursor that is none is said beside it. */
export async function deliveriesOf(
  services: Services,
  place: WebhookPlace,
  query: string,
): Promise<Listed> {
  const tried = await attempt(() => listDeliveries(services, place, pagingOf(query, ROWS)));
  if (tried.problem !== null) return { items: [], nextCursor: null, problem: tried.problem };
  return { ...tried.value, problem: null };
}

export const DeliveriesCard = (
  { path, query, listed: { items, nextCursor, problem: unread }, canEdit, problem }: {
    path: string;
    query: string;
    listed: Listed;
    canEdit: boolean;
    problem: Problem | null;
  },
) => (
  <article class="card">
    <h2>Messages</h2>
    <Refusal problem={problem ?? unread} />
    <p class="muted">Those of the last {WEBHOOK_LOG_DAYS} days.</p>
    {items.length === 0
      ? <p class="empty">No message so far.</p>
      : <DeliveryTable deliveries={items} path={path} />}
    <Pages path={path} query={query} nextCursor={nextCursor} what="messages" />
    {canEdit && items.length > 0 && (
      <form method="post" action={`${path}/replay`}>
        <Field
          label="Send all again since"
          name="since"
          placeholder="2026-01-31T12:00:00Z"
          value={new URLSearchParams(query).get("since")}
          required
        />
        <button class="quiet">Send all again</button>
      </form>
    )}
  </article>
);

export const BADGES = { delivered: "badge on", failed: "badge bad", queued: "badge" } as const;

const DeliveryTable = (
  { deliveries, path }: { deliveries: readonly ShownDelivery[]; path: string },
) => (
  <div class="scroll" role="region" aria-label="Messages" tabindex={0}>
    <table class="snug lines">
      <thead>
        <tr>
          <th scope="col">Message</th>
          <th scope="col">State</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((one) => (
          <tr>
            <th scope="row">
              <a class="mono" href={`${path}/deliveries/${one.id}`}>{one.type}</a>
            </th>
            <td>
              <span class={BADGES[one.state]}>{one.state}</span>
              {one.status !== null && <small>{`answered ${one.status}`}</small>}
              {one.error !== null && <small class="bad">{one.error}</small>}
            </td>
            <td>
              <When at={one.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
