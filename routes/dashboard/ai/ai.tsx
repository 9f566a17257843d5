import { saveProjectKey } from "@/lib/ai/keys.ts";
import { getAiUsage } from "@/lib/ai/usage.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, Field, Refusal } from "../components/forms.tsx";
import { Meter } from "../components/meter.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";

export const showAi: PageHandler<ProjectMember> = async (c) => pageReply(await aiPage(c));

/** Saves the project's AI key, or removes it if the form has `clear`. */
export const saveKeyByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const form = await c.var.body.form();
  const aiKey = form.has("clear") ? null : form.get("aiKey") ?? "";
  const result = await attempt(() => saveProjectKey(services, principal, aiKey));
  if (result.problem === null) {
    return seeOther(
      `${homeOf(principal.project._id)}/ai?done=${result.value ? "saved" : "cleared"}`,
    );
  }
  return pageReply(await aiPage(c, result.problem), { status: result.problem.status });
};

async function aiPage(c: PageContext<ProjectMember>, problem: Problem | null = null) {
  const { services, principal, state: { query } } = c.var;
  const [frame, plan, usage] = await Promise.all([
    loadFrame(services, principal),
    services.plans.ofProject(principal.project._id),
    getAiUsage(services, principal.account),
  ]);
  const path = `${frame.home}/ai`;
  const key: KeyState = {
    hasAiKey: Boolean(principal.project.sealedAiKey),
    isAllowed: plan.ownAiKey,
    canEdit: roleIncludes(principal.role, "admin"),
  };
  const t = texts().ai;
  return (
    <ProjectShell frame={frame} title={t.title} current={path}>
      <Bar title={t.title} />
      <div class="sheet">
        <DoneNote query={query} sentences={t.key.done} />
        {key.canEdit && (
          <article class="card">
            <h2>{t.creator.title}</h2>
            <p>{t.creator.about}</p>
            <a role="button" href={`${path}/designer`}>{t.creator.open}</a>
          </article>
        )}
        <UsageCard usage={usage} usesOwnKey={key.hasAiKey && key.isAllowed} />
        <KeyCard action={`${path}/key`} state={key} problem={problem} />
      </div>
    </ProjectShell>
  );
}

type Usage = Awaited<ReturnType<typeof getAiUsage>>;

const UsageCard = (
  { usage: { plan, queries, designs, turns, resetsAt }, usesOwnKey }: {
    usage: Usage;
    usesOwnKey: boolean;
  },
) => {
  const t = texts().ai.usage;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{usesOwnKey ? t.ofOwnKey : t.ofServerKey(plan)}</p>
      <Meter label={t.queries} {...queries} />
      <Meter label={t.designs} {...designs} />
      <Meter label={t.turns} {...turns} />
      <small>
        {t.resets(<When at={resetsAt} />)}
      </small>
    </article>
  );
};

interface KeyState {
  readonly hasAiKey: boolean;
  /** Whether the plan of the project's owner permits own AI keys. */
  readonly isAllowed: boolean;
  readonly canEdit: boolean;
}

const KeyCard = (
  { action, state, problem }: { action: string; state: KeyState; problem: Problem | null },
) => {
  const { hasAiKey, isAllowed, canEdit } = state;
  const t = texts().ai.key;
  return (
    <article class="card">
      <h2>
        {t.title} {hasAiKey && <span class="badge on">{t.stored}</span>}
      </h2>
      <p>{keyText(state)}</p>
      <Refusal problem={problem} />
      {canEdit && isAllowed && (
        <form method="post" action={action}>
          <Field
            label={hasAiKey ? t.newKey : t.providerKey}
            name="aiKey"
            type="password"
            hint={t.hint}
            autocomplete="off"
            required
          />
          <button>{hasAiKey ? t.replace : t.save}</button>
        </form>
      )}
      {canEdit && hasAiKey && (
        <ConfirmForm label={t.clear} loss={t.clearLoss} action={action} button={t.clearNow}>
          <input type="hidden" name="clear" value="on" />
        </ConfirmForm>
      )}
    </article>
  );
};

function keyText({ hasAiKey, isAllowed }: KeyState): string {
  const { about } = texts().ai.key;
  if (!isAllowed) return hasAiKey ? about.unused : about.notInPlan;
  return hasAiKey ? about.stored : about.none;
}
