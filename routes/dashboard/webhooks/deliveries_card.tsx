import { type DeliverySummary, listDeliveries } from "@/lib/events/webhooks/delivery_log.ts";
import type { WebhookPath } from "@/lib/events/webhooks/signatures.ts";
import { WEBHOOK_LOG_DAYS } from "@/lib/limits.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import { Field, Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { PageLinks, readPaging } from "../paging.tsx";
import { attempt } from "../replies.ts";
import { texts } from "../texts/mod.ts";

const ROWS = 50;

const SAMPLE_TIME = "2026-01-31T12:00:00Z";

interface DeliveryPage extends RecordPage<DeliverySummary> {
  readonly problem: Problem | null;
}

/** Loads a page of deliveries, or the problem of an invalid cursor. */
export async function loadDeliveries(
  services: Services,
  place: WebhookPath,
  query: string,
): Promise<DeliveryPage> {
  const result = await attempt(() => listDeliveries(services, place, readPaging(query, ROWS)));
  if (result.problem !== null) return { items: [], nextCursor: null, problem: result.problem };
  return { ...result.value, problem: null };
}

export const DeliveriesCard = (
  { path, query, listed: { items, nextCursor, problem: unread }, canEdit, problem }: {
    path: string;
    query: string;
    listed: DeliveryPage;
    canEdit: boolean;
    problem: Problem | null;
  },
) => {
  const t = texts().webhooks.messages;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <Refusal problem={problem ?? unread} />
      <p class="muted">{t.about(WEBHOOK_LOG_DAYS)}</p>
      {items.length === 0
        ? <p class="empty">{t.none}</p>
        : <DeliveryTable deliveries={items} path={path} />}
      <PageLinks path={path} query={query} nextCursor={nextCursor} what={t.pages} />
      {canEdit && items.length > 0 && (
        <form method="post" action={`${path}/replay`}>
          <Field
            label={t.since}
            name="since"
            placeholder={SAMPLE_TIME}
            value={new URLSearchParams(query).get("since")}
            required
          />
          <button class="quiet">{t.sendAll}</button>
        </form>
      )}
    </article>
  );
};

export const BADGES = { delivered: "badge on", failed: "badge bad", queued: "badge" } as const;

const DeliveryTable = (
  { deliveries, path }: { deliveries: readonly DeliverySummary[]; path: string },
) => {
  const t = texts().webhooks.messages;
  const { states } = texts().webhooks;
  return (
    <div class="scroll" role="region" aria-label={t.title} tabindex={0}>
      <table class="snug lines">
        <thead>
          <tr>
            <th scope="col">{t.message}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.when}</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((one) => (
            <tr>
              <th scope="row">
                <a class="mono" href={`${path}/deliveries/${one.id}`}>{one.type}</a>
              </th>
              <td>
                <span class={BADGES[one.state]}>{states[one.state]}</span>
                {one.status !== null && <small>{t.answered(one.status)}</small>}
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
};
