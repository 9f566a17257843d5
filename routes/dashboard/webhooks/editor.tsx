import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookSummary,
} from "@/lib/events/webhooks/manage.ts";
import { type TestedWebhook, testWebhook } from "@/lib/events/webhooks/test_webhook.ts";
import { requiredId } from "@/lib/ids.ts";
import { WEBHOOK_OVERLAP_HOURS, WEBHOOK_REPLAY_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { WebhookInput } from "@/openapi/schemas/webhook.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, CopyField, SuccessNote } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { DeliveriesCard, loadDeliveries } from "./deliveries_card.tsx";
import {
  type EnteredWebhook,
  NEW_WEBHOOK,
  readWebhook,
  toEnteredWebhook,
  toWebhookInput,
  WebhookForm,
} from "./form.tsx";
import { loadWebhookPage, type WebhookPage, WebhookShell, webhooksPath } from "./webhook_shell.tsx";

export type WebhookContext = PageContext<ProjectMember, "webhookId">;
type WebhookHandler = PageHandler<ProjectMember, "webhookId">;

interface WebhookPageState {
  readonly form?: { readonly entered: EnteredWebhook; readonly problem: Problem };
  readonly secret?: string;
  readonly tested?: TestedWebhook;
  readonly replay?: Problem;
}

export const webhookKey = (c: WebhookContext) => ({
  projectId: c.var.principal.project._id,
  webhookId: requiredId(c.req.valid("param").webhookId),
});

const parseWebhook = (entered: EnteredWebhook) =>
  parseInput(WebhookInput, toWebhookInput(entered), { problem: "INVALID_INPUT" });

export const showNewWebhook: PageHandler<ProjectMember> = async (c) =>
  pageReply(await newPage(c, { entered: NEW_WEBHOOK, problem: null }));

export const createWebhookByForm: PageHandler<ProjectMember> = async (c) => {
  const entered = readWebhook(await c.var.body.form());
  const { services, principal } = c.var;
  const result = await attempt(() =>
    createWebhook(services, principal.project._id, parseWebhook(entered))
  );
  if (result.problem !== null) {
    const { problem } = result;
    return pageReply(await newPage(c, { entered, problem }), { status: problem.status });
  }
  const page = await loadWebhookPage(c);
  const { id, name, secret } = result.value;
  return pageReply(
    <WebhookShell page={page} title={name}>
      <SecretNote secret={secret} />
      <a role="button" href={`${page.path}/${id}`}>{texts().webhooks.created.goOn}</a>
    </WebhookShell>,
  );
};

async function newPage(
  c: PageContext<ProjectMember>,
  { entered, problem }: { readonly entered: EnteredWebhook; readonly problem: Problem | null },
) {
  const page = await loadWebhookPage(c);
  return (
    <WebhookShell page={page} title={texts().webhooks.list.create}>
      <article class="card">
        <WebhookForm
          action={`${page.path}/new`}
          button={texts().webhooks.form.create}
          entered={entered}
          collections={collectionNames(page)}
          problem={problem}
        />
      </article>
    </WebhookShell>
  );
}

const collectionNames = ({ frame }: WebhookPage): string[] =>
  frame.collections.map(({ name }) => name);

export const showWebhook: WebhookHandler = async (c) => pageReply(await webhookPage(c));

export const saveWebhook: WebhookHandler = async (c) => {
  const entered = readWebhook(await c.var.body.form());
  const place = webhookKey(c);
  const { problem } = await attempt(() =>
    updateWebhook(c.var.services, place, parseWebhook(entered))
  );
  if (problem === null) {
    return seeOther(`${webhooksPath(c)}/${place.webhookId}?done=saved`);
  }
  const page = await webhookPage(c, { form: { entered, problem } });
  return pageReply(page, { status: problem.status });
};

/** Sends a test message. Only this reply shows the answer of the address. */
export const testWebhookByForm: WebhookHandler = async (c) => {
  const tested = await testWebhook(c.var.services, webhookKey(c));
  return pageReply(await webhookPage(c, { tested }));
};

export const rotateSecretByForm: WebhookHandler = async (c) => {
  const { secret } = await rotateWebhookSecret(c.var.services, webhookKey(c));
  return pageReply(await webhookPage(c, { secret }));
};

export const deleteWebhookByForm: WebhookHandler = async (c) => {
  await deleteWebhook(c.var.services, webhookKey(c));
  return seeOther(`${webhooksPath(c)}?done=deleted`);
};

export async function webhookPage(c: WebhookContext, outcome: WebhookPageState = {}) {
  const { services, state: { query } } = c.var;
  const place = webhookKey(c);
  const webhook = await getWebhook(services, place.projectId, place.webhookId);
  const page = await loadWebhookPage(c);
  const listed = await loadDeliveries(services, place, query);
  const path = `${page.path}/${webhook.id}`;
  const t = texts().webhooks.webhook;
  return (
    <WebhookShell page={page} title={webhook.name}>
      <DoneNote query={query} sentences={{ ...t.done, some: t.someAgain(WEBHOOK_REPLAY_MAX) }} />
      {webhook.offBecause !== null && <p class="note bad">{t.switchedOff(webhook.offBecause)}</p>}
      {outcome.secret !== undefined && <SecretNote secret={outcome.secret} />}
      {outcome.tested !== undefined && <TestNote tested={outcome.tested} />}
      <article class="card">
        <h2>{t.notifications}</h2>
        {page.canEdit
          ? (
            <WebhookForm
              action={path}
              button={texts().webhooks.form.save}
              entered={outcome.form?.entered ?? toEnteredWebhook(webhook)}
              collections={collectionNames(page)}
              problem={outcome.form?.problem ?? null}
            />
          )
          : <WebhookFacts webhook={webhook} />}
        {page.canEdit && <WebhookActions path={path} />}
      </article>
      <DeliveriesCard
        path={path}
        query={query}
        listed={listed}
        canEdit={page.canEdit}
        problem={outcome.replay ?? null}
      />
    </WebhookShell>
  );
}

const SecretNote = ({ secret }: { secret: string }) => {
  const t = texts().webhooks.created;
  return (
    <article class="card">
      <h2>{t.secret}</h2>
      <p>{t.once}</p>
      <CopyField label={t.secret} value={secret} />
    </article>
  );
};

const TestNote = ({ tested }: { tested: TestedWebhook }) => {
  const t = texts().webhooks.webhook;
  const { ok, status, durationMs, answer, error } = tested;
  if (status === null || durationMs === null) {
    return <p class="note bad" role="alert">{t.noAnswer(error ?? "")}</p>;
  }
  const said = t.tested(status, durationMs, answer ?? "");
  return ok ? <SuccessNote>{said}</SuccessNote> : <p class="note bad" role="alert">{said}</p>;
};

const WebhookFacts = ({ webhook: { url, events, enabled } }: { webhook: WebhookSummary }) => {
  const t = texts().webhooks.webhook;
  const { events: eventTexts } = texts().webhooks;
  return (
    <dl class="facts">
      <dt>{t.address}</dt>
      <dd class="mono">{url}</dd>
      <dt>{t.messages}</dt>
      <dd>{enabled ? t.sent : t.notSent}</dd>
      {Object.entries(events).map(([name, listed]) => (
        <>
          <dt class="mono">{name}</dt>
          <dd>{listed.map((event) => eventTexts[event]).join(", ")}</dd>
        </>
      ))}
    </dl>
  );
};

const WebhookActions = ({ path }: { path: string }) => {
  const t = texts().webhooks.webhook;
  return (
    <div class="acts">
      <form method="post" action={`${path}/test`}>
        <button class="quiet">{t.test}</button>
      </form>
      <ConfirmForm
        label={t.rotate}
        loss={t.rotateLoss(WEBHOOK_OVERLAP_HOURS)}
        action={`${path}/secret`}
        button={t.rotate}
      />
      <ConfirmForm
        label={t.delete}
        loss={t.deleteLoss}
        action={`${path}/delete`}
        button={t.deleteNow}
      />
    </div>
  );
};
