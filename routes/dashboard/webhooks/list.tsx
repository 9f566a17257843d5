import { listWebhooks, type WebhookSummary } from "@/lib/events/webhooks/manage.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { PageLinks, readPaging } from "../paging.tsx";
import { attempt, pageReply } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { loadWebhookPage, WebhookShell } from "./webhook_shell.tsx";

const NO_WEBHOOKS = { items: [], nextCursor: null };

export const showWebhooks: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const page = await loadWebhookPage(c);
  const result = await attempt(() =>
    listWebhooks(services, principal.project._id, readPaging(query))
  );
  const { items, nextCursor } = result.problem === null ? result.value : NO_WEBHOOKS;
  const t = texts().webhooks.list;
  return pageReply(
    <WebhookShell
      page={page}
      title={texts().webhooks.title}
      acts={page.canEdit && <CreateLink href={`${page.path}/new`} />}
    >
      <DoneNote query={query} sentences={t.done} />
      <Refusal problem={result.problem} />
      <p class="muted">{t.about}</p>
      {items.length === 0
        ? <p class="empty">{t.none}</p>
        : <WebhookTable webhooks={items} path={page.path} />}
      <PageLinks path={page.path} query={query} nextCursor={nextCursor} what={t.pages} />
    </WebhookShell>,
    { status: result.problem?.status ?? 200 },
  );
};

const CreateLink = ({ href }: { href: string }) => (
  <>
    <span class="grow"></span>
    <a role="button" href={href}>{texts().webhooks.list.create}</a>
  </>
);

const WebhookTable = (
  { webhooks, path }: { webhooks: readonly WebhookSummary[]; path: string },
) => {
  const t = texts().webhooks.list;
  return (
    <div class="scroll" role="region" aria-label={texts().webhooks.title} tabindex={0}>
      <table class="snug lines">
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.eventsOf}</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map(({ id, name, url, enabled, offBecause, events }) => (
            <tr>
              <th scope="row">
                <a href={`${path}/${id}`}>{name}</a>
                <small class="mono">{url}</small>
              </th>
              <td>
                <span class={enabled ? "badge on" : "badge"}>{enabled ? t.on : t.off}</span>
                {offBecause !== null && <small class="bad">{offBecause}</small>}
              </td>
              <td>{Object.keys(events).join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
