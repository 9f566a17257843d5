import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  rotateWebhookSecret,
  type ShownWebhook,
  updateWebhook,
} from "@/lib/events/webhooks/manage.ts";
import { type TestedWebhook, testWebhook } from "@/lib/events/webhooks/test_webhook.ts";
import { requiredId } from "@/lib/ids.ts";
import { WEBHOOK_OVERLAP_HOURS, WEBHOOK_REPLAY_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseInput } from "@/openapi/inputs.ts";
import { WebhookInput } from "@/openapi/schemas/webhook.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, CopyField, Done } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { DeliveriesCard, deliveriesOf } from "./deliveries_card.tsx";
import {
  type EnteredWebhook,
  enteredWebhook,
  NEW_WEBHOOK,
  typedWebhook,
  WebhookForm,
  webhookInput,
} from "./form.tsx";
import {
  loadWebhookPage,
  type WebhookPage,
  WebhookShell,
  webhooksPathOf,
} from "./webhook_shell.tsx";

export type WebhookContext = PageContext<ProjectMember, "webhookId">;
type WebhookHandler = PageHandler<ProjectMember, "webhookId">;

/** What a form of the page came to, if it did not lead elsewhere. */
interface Outcome {
  readonly form?: { readonly entered: EnteredWebhook; readonly problem: Problem };
  readonly secret?: string;
  readonly tested?: TestedWebhook;
  readonly replay?: Problem;
}

export const placeOf = (c: WebhookContext) => ({
  projectId: c.var.principal.project._id,
  webhookId: requiredId(c.req.valid("param").webhookId),
});

const read = (entered: EnteredWebhook) =>
  parseInput(WebhookInput, webhookInput(entered), { problem: "INVALID_INPUT" });

export const showNewWebhook: PageHandler<ProjectMember> = async (c) =>
  pageReply(await newPage(c, { entered: NEW_WEBHOOK, problem: null }));

export const createWebhookByForm: PageHandler<ProjectMember> = async (c) => {
  const entered = typedWebhook(await c.var.body.form());
  const { services, principal } = c.var;
  const tried = await attempt(() => createWebhook(services, principal.project._id, read(entered)));
  if (tried.problem !== null) {
    const { problem } = tried;
    return pageReply(await newPage(c, { entered, problem }), { status: problem.status });
  }
  const page = await loadWebhookPage(c);
  const { id, name, secret } = tried.value;
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
          collections={namesOf(page)}
          problem={problem}
        />
      </article>
    </WebhookShell>
  );
}

const namesOf = ({ frame }: WebhookPage): string[] => frame.collections.map(({ name }) => name);

export const showWebhook: WebhookHandler = async (c) => pageReply(await webhookPage(c));

export const saveWebhook: WebhookHandler = async (c) => {
  const entered = typedWebhook(await c.var.body.form());
  const place = placeOf(c);
  const { problem } = await attempt(() => updateWebhook(c.var.services, place, read(entered)));
  if (problem === null) {
    return seeOther(`${webhooksPathOf(c)}/${place.webhookId}?done=saved`);
  }
  const page = await webhookPage(c, { form: { entered, problem } });
  return pageReply(page, { status: problem.status });
};

/** What the address answered is in this answer alone. */
export const testWebhookByForm: WebhookHandler = async (c) => {
  const tested = await testWebhook(c.var.services, placeOf(c));
  return pageReply(await webhookPage(c, { tested }));
};

export const rotateSecretByForm: WebhookHandler = async (c) => {
  const { secret } = await rotateWebhookSecret(c.var.services, placeOf(c));
  return pageReply(await webhookPage(c, { secret }));
};

export const deleteWebhookByForm: WebhookHandler = async (c) => {
  await deleteWebhook(c.var.services, placeOf(c));
  return seeOther(`${webhooksPathOf(c)}?done=deleted`);
};

export async function webhookPage(c: WebhookContext, outcome: Outcome = {}) {
  const { services, state: { query } } = c.var;
  const place = placeOf(c);
  const webhook = await getWebhook(services, place.projectId, place.webhookId);
  const page = await loadWebhookPage(c);
  const listed = await deliveriesOf(services, place, query);
  const path = `${page.path}/${webhook.id}`;
  const t = texts().webhooks.webhook;
  return (
    <WebhookShell page={page} title={webhook.name}>
      <DoneNote query={query} sentences={{ ...t.done, some: t.someAgain(WEBHOOK_REPLAY_MAX) }} />
      {webhook.offBecause !== null && <p class="note bad">{t.switchedOff(webhook.offBecause)}</p>}
      {outcome.secret !== undefined && <SecretNote secret={outcome.secret} />}
      {outcome.tested !== undefined && <TestNote tested={outcome.tested} />}
      <article class="card">
        <h2>{t.told}</h2>
        {page.canEdit
          ? (
            <WebhookForm
              action={path}
              button={texts().webhooks.form.save}
              entered={outcome.form?.entered ?? enteredWebhook(webhook)}
              collections={namesOf(page)}
              problem={outcome.form?.problem ?? null}
            />
          )
          : <Facts webhook={webhook} />}
        {page.canEdit && <Acts path={path} />}
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
  return ok ? <Done>{said}</Done> : <p class="note bad" role="alert">{said}</p>;
};

const Facts = ({ webhook: { url, events, enabled } }: { webhook: ShownWebhook }) => {
  const t = texts().webhooks.webhook;
  const { events: eventTexts } = texts().webhooks;
  return (
    <dl class="facts">
      <dt>{t.address}</dt>
      <dd class="mono">{url}</dd>
      <dt>{t.messages}</dt>
      <dd>{enabled ? t.sent : t.notSent}</dd>
      {Object.entries(events).map(([name, told]) => (
        <>
          <dt class="mono">{name}</dt>
          <dd>{told.map((event) => eventTexts[event]).join(", ")}</dd>
        </>
      ))}
    </dl>
  );
};

const Acts = ({ path }: { path: string }) => {
  const t = texts().webhooks.webhook;
  return (
    <div class="acts">
      <form method="post" action={`${path}/test`}>
        <button class="quiet">{t.test}</button>
      </form>
      <Ask
        label={t.rotate}
        loss={t.rotateLoss(WEBHOOK_OVERLAP_HOURS)}
        action={`${path}/secret`}
        button={t.rotate}
      />
      <Ask
        label={t.delete}
        loss={t.deleteLoss}
        action={`${path}/delete`}
        button={t.deleteNow}
      />
    </div>
  );
};
