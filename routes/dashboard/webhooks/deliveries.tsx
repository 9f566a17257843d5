import {
  type DeliveryWithBody,
  getDelivery,
  replayDeliveries,
  replayDelivery,
} from "@/lib/events/webhooks/delivery_log.ts";
import { getWebhook } from "@/lib/events/webhooks/manage.ts";
import { messageId } from "@/lib/events/webhooks/signatures.ts";
import { requiredId } from "@/lib/ids.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { ReplayInput } from "@/openapi/schemas/webhook.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { When } from "../components/when.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { BADGES } from "./deliveries_card.tsx";
import { webhookKey, webhookPage } from "./editor.tsx";
import { loadWebhookPage, WebhookShell, webhooksPath } from "./webhook_shell.tsx";

type DeliveryContext = PageContext<ProjectMember, "webhookId" | "deliveryId">;
type DeliveryHandler = PageHandler<ProjectMember, "webhookId" | "deliveryId">;

const deliveryPath = (c: DeliveryContext) => {
  const { webhookId, deliveryId } = c.req.valid("param");
  return {
    projectId: c.var.principal.project._id,
    webhookId: requiredId(webhookId),
    deliveryId: requiredId(deliveryId),
  };
};

export const showDelivery: DeliveryHandler = async (c) => pageReply(await deliveryPage(c, null));

export const replayByForm: DeliveryHandler = async (c) => {
  const place = deliveryPath(c);
  const { problem } = await attempt(() => replayDelivery(c.var.services, place));
  if (problem === null) return seeOther(`${webhooksPath(c)}/${place.webhookId}?done=again`);
  return pageReply(await deliveryPage(c, problem), { status: problem.status });
};

export const replaySinceByForm: PageHandler<ProjectMember, "webhookId"> = async (c) => {
  const given = ((await c.var.body.form()).get("since") ?? "").trim();
  const place = webhookKey(c);
  const result = await attempt(() => {
    const { since } = parseInput(ReplayInput, { since: given }, { problem: "INVALID_INPUT" });
    return replayDeliveries(c.var.services, place, since);
  });
  if (result.problem !== null) {
    const page = await webhookPage(c, { replay: result.problem });
    return pageReply(page, { status: result.problem.status });
  }
  const { nextSince } = result.value;
  const done = nextSince === null ? "done=since" : `done=some&since=${nextSince}`;
  return seeOther(`${webhooksPath(c)}/${place.webhookId}?${done}`);
};

async function deliveryPage(c: DeliveryContext, problem: Problem | null) {
  const place = deliveryPath(c);
  const delivery = await getDelivery(c.var.services, place);
  const { url } = await getWebhook(c.var.services, place.projectId, place.webhookId);
  const page = await loadWebhookPage(c);
  const path = `${page.path}/${place.webhookId}`;
  const t = texts().webhooks.message;
  return (
    <WebhookShell page={page} title={delivery.type}>
      <Refusal problem={problem} />
      <p>
        <a href={path}>{t.all}</a>
      </p>
      <DeliveryFacts delivery={delivery} />
      <h2>{t.request}</h2>
      <RequestHeaders url={url} id={messageId(delivery.id)} />
      {delivery.body === null
        ? <p class="muted">{t.noBody}</p>
        : <Payload label={t.request}>{delivery.body}</Payload>}
      <h2>{t.answer}</h2>
      {delivery.answer === null
        ? <p class="muted">{t.noAnswer}</p>
        : <Payload label={t.answer}>{delivery.answer}</Payload>}
      {page.canEdit && delivery.body !== null && (
        <form method="post" action={`${path}/deliveries/${delivery.id}`}>
          <button class="quiet">{t.sendAgain}</button>
        </form>
      )}
    </WebhookShell>
  );
}

/** The exact text that was sent or received, in a scrollable element. */
const Payload = ({ label, children }: { label: string; children: string }) => (
  <pre tabindex={0} role="group" aria-label={label}>{children}</pre>
);

/** Headers of the message, without the secret and the signature. */
const RequestHeaders = ({ url, id }: { url: string; id: string }) => {
  const t = texts().webhooks.message;
  const values = { POST: url, "webhook-id": id };
  const words = { "webhook-timestamp": t.timestamp, "webhook-signature": t.signature };
  return (
    <dl class="facts">
      {Object.entries(values).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd class="mono">{value}</dd>
        </>
      ))}
      {Object.entries(words).map(([name, text]) => (
        <>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </>
      ))}
    </dl>
  );
};

const DeliveryFacts = ({ delivery }: { delivery: DeliveryWithBody }) => {
  const { state, tries, status, durationMs, error, createdAt, nextTryAt } = delivery;
  const t = texts().webhooks.message;
  const answered = status === null || durationMs === null
    ? error ?? t.notYet
    : t.answeredAfter(status, durationMs);
  return (
    <dl class="facts">
      <dt>{t.state}</dt>
      <dd>
        <span class={BADGES[state]}>{texts().webhooks.states[state]}</span>
      </dd>
      <dt>{t.tried}</dt>
      <dd>{t.times(tries)}</dd>
      <dt>{t.answered}</dt>
      <dd>{answered}</dd>
      <dt>{t.written}</dt>
      <dd>
        <When at={createdAt} />
      </dd>
      {nextTryAt !== null && (
        <>
          <dt>{t.nextTry}</dt>
          <dd>
            <When at={nextTryAt} />
          </dd>
        </>
      )}
    </dl>
  );
};
