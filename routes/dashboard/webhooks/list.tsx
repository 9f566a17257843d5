import { listWebhooks, type ShownWebhook } from "@/lib/events/webhooks/manage.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { DoneNote } from "../done.tsx";
import { Pages, pagingOf } from "../paging.tsx";
import { attempt, pageReply } from "../replies.ts";
import { loadWebhookPage, WebhookShell } from "./webhook_shell.tsx";

const DONE = { deleted: "The webhook is deleted." };

const NONE = { items: [], nextCursor: null };

export const showWebhooks: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const page = await loadWebhookPage(c);
  const tried = await attempt(() => listWebhooks(services, principal.project._id, pagingOf(query)));
  const { items, nextCursor } = tried.problem === null ? tried.value : NONE;
  return pageReply(
    <WebhookShell page={page} title="Webhooks">
      <DoneNote query={query} sentences={DONE} />
      <Refusal problem={tried.problem} />
      <p class="muted">Addresses of yours that are told what changes in this project.</p>
      {items.length === 0
        ? <p class="empty">No webhook so far.</p>
        : <WebhookTable webhooks={items} path={page.path} />}
      {page.canEdit && (
        <p>
          <a href={`${page.path}/new`}>New webhook</a>
        </p>
      )}
      <Pages path={page.path} query={query} nextCursor={nextCursor} what="webhooks" />
    </WebhookShell>,
    { status: tried.problem?.status ?? 200 },
  );
};

const WebhookTable = (
  { webhooks, path }: { webhooks: readonly ShownWebhook[]; path: string },
) => (
  <div class="scroll" role="region" aria-label="Webhooks" tabindex={0}>
    <table class="snug lines">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State</th>
          <th scope="col">Told of</th>
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
              <span class={enabled ? "badge on" : "badge"}>{enabled ? "on" : "off"}</span>
              {offBecause !== null && <small class="bad">{offBecause}</small>}
            </td>
            <td>{Object.keys(events).join(", ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
