import { saveProjectKey } from "@/lib/ai/keys.ts";
import { aiUsage } from "@/lib/ai/usage.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, Field, Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";

const DONE = {
  saved: "The key is saved. It is kept sealed and never shown.",
  cleared: "The key is gone.",
};

export const showAi: PageHandler<ProjectMember> = async (c) => pageReply(await aiPage(c));

/** A button named `clear` takes the key away, whatever the field says. */
export const saveKeyByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const aiKey = form.has("clear") ? null : form.get("aiKey") ?? "";
  const tried = await attempt(() => saveProjectKey(services, principal, aiKey));
  if (tried.problem === null) {
    return seeOther(
      `${homeOf(principal.project._id)}/ai?done=${tried.value ? "saved" : "cleared"}`,
    );
  }
  return pageReply(await aiPage(c, tried.problem), { status: tried.problem.status });
};

async function aiPage(c: PageContext<ProjectMember>, problem: Problem | null = null) {
  const { services, principal, state: { query } } = c.var;
  const [frame, plan, usage] = await Promise.all([
    loadFrame(services, principal),
    services.plans.of(principal.project._id),
    aiUsage(services, principal.account),
  ]);
  const path = `${frame.home}/ai`;
  const key: KeyState = {
    hasAiKey: Boolean(principal.project.sealedAiKey),
    isAllowed: plan.ownAiKey,
    canEdit: includes(principal.role, "admin"),
  };
  return (
    <ProjectShell frame={frame} title="AI" current={path}>
      <Bar title="AI" />
      <div class="sheet">
        <DoneNote query={query} sentences={DONE} />
        {key.canEdit && (
          <article class="card">
            <h2>Collection creator</h2>
            <p>Say what your application keeps, and have its collections designed.</p>
            <a role="button" href={`${path}/designer`}>Design collections</a>
          </article>
        )}
        <UsageCard usage={usage} usesOwnKey={key.hasAiKey && key.isAllowed} />
        <KeyCard action={`${path}/key`} state={key} problem={problem} />
      </div>
    </ProjectShell>
  );
}

type Usage = Awaited<ReturnType<typeof aiUsage>>;

const UsageCard = (
  { usage: { plan, queries, designs, turns, resetsAt }, usesOwnKey }: {
    usage: Usage;
    usesOwnKey: boolean;
  },
) => (
  <article class="card">
    <h2>Your use</h2>
    <p>
      {usesOwnKey
        ? "This project asks with its own key: nothing is counted here and no cap applies."
        : `What you ask with this server's key, in all projects together, on the ${plan} plan.`}
    </p>
    <Meter label="Queries this month" {...queries} />
    <Meter label="Designs this month" {...designs} />
    <Meter label="Turns with the creator this month" {...turns} />
    <small>
      The count starts again <When at={resetsAt} />
    </small>
  </article>
);

interface KeyState {
  readonly hasAiKey: boolean;
  /** Whether the plan of the project's owner has keys of one's own. */
  readonly isAllowed: boolean;
  readonly canEdit: boolean;
}

const KeyCard = (
  { action, state, problem }: { action: string; state: KeyState; problem: Problem | null },
) => {
  const { hasAiKey, isAllowed, canEdit } = state;
  return (
    <article class="card">
      <h2>
        Key of this project {hasAiKey && <span class="badge on">stored</span>}
      </h2>
      <p>{keyWords(state)}</p>
      <Refusal problem={problem} />
      {canEdit && isAllowed && (
        <form method="post" action={action}>
          <Field
            label={hasAiKey ? "New key, in place of the stored one" : "AI provider key"}
            name="aiKey"
            type="password"
            hint="Begins with gsk_. It is kept sealed and never shown again."
            autocomplete="off"
            required
          />
          <button>{hasAiKey ? "Replace key" : "Save key"}</button>
        </form>
      )}
      {canEdit && hasAiKey && (
        <Ask
          label="Clear key"
          loss="The project then asks with your account's key or that of this server, within its caps."
          action={action}
          button="Clear the key"
        >
          <input type="hidden" name="clear" value="on" />
        </Ask>
      )}
    </article>
  );
};

function keyWords({ hasAiKey, isAllowed }: KeyState): string {
  if (!isAllowed) {
    return hasAiKey
      ? "A key is stored, but the owner's plan does not use it: that takes the Pro plan."
      : "A key of your own takes the Pro plan of the project's owner. Then no cap applies.";
  }
  return hasAiKey
    ? "All AI requests of this project go with the stored key, whoever asks. No cap applies."
    : "With a key of your own all AI requests of this project go with it, and no cap applies.";
}
