import { parseInput } from "@/openapi/inputs.ts";
import { CreatorMessage } from "@/openapi/schemas/ai.ts";
import { type ChatRecord, endChat, findChat } from "@/lib/ai/chats.ts";
import { applyProposal, designCollections } from "@/lib/ai/design_collections.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { AI_CHAT_MESSAGE_LENGTH_MAX, AI_TURNS_MAX } from "@/lib/limits.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { ConfirmForm, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { ProposalCards } from "./proposal_cards.tsx";

export const showDesigner: PageHandler<ProjectMember> = async (c) =>
  pageReply(await designerPage(c));

/** Sends a message, or with `act` applies the proposal (`apply`) or ends the chat (`restart`). */
export const talkToDesigner: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const gone = c.req.raw.signal;
  const form = await c.var.body.form();
  const act = form.get("act");
  const userMessage = form.get("userMessage") ?? "";
  const home = homeOf(principal.project._id);
  const result = await attempt(async () => {
    if (act === "apply") {
      await applyProposal(services, principal);
      return `${home}/collections?done=added`;
    }
    if (act === "restart") await endChat(services, principal);
    else {
      const { userMessage: message } = parseInput(CreatorMessage, { userMessage });
      await designCollections(services, principal, message, { signal: gone });
    }
    return `${home}/ai/designer`;
  });
  if (result.problem === null) return seeOther(result.value);
  const { problem } = result;
  const page = await designerPage(c, { userMessage, isApplying: act === "apply", problem });
  return pageReply(page, { status: problem.status });
};

interface RefusedTurn {
  readonly userMessage: string;
  readonly isApplying: boolean;
  readonly problem: Problem;
}

async function designerPage(c: PageContext<ProjectMember>, refused?: RefusedTurn) {
  const { services, principal } = c.var;
  const [frame, chat] = await Promise.all([
    loadFrame(services, principal),
    findChat(services, principal),
  ]);
  const path = `${frame.home}/ai/designer`;
  const canEdit = roleIncludes(principal.role, "admin");
  const proposal = (chat?.proposal ?? null) as CollectionDefinition[] | null;
  const existing = new Set(frame.collections.map(({ name }) => name.toLowerCase()));
  const isApplied = proposal?.every(({ name }) => existing.has(name.toLowerCase())) ?? false;
  const t = texts().ai.designer;
  return (
    <ProjectShell frame={frame} title={t.title} current={`${frame.home}/ai`}>
      <Bar title={t.title}>
        <span class="grow"></span>
        {chat !== null && canEdit && (
          <ConfirmForm label={t.restart} loss={t.restartLoss} action={path} button={t.restartNow}>
            <input type="hidden" name="act" value="restart" />
          </ConfirmForm>
        )}
      </Bar>
      <div class="sheet">
        {!canEdit && <p>{t.onlyAdmins}</p>}
        {proposal === null && refused?.isApplying && <Refusal problem={refused.problem} />}
        {canEdit && (
          <designer-chat
            api={`/api/projects/${frame.projectId}/ai/collection-creator`}
            user={t.speakers.user}
            assistant={t.speakers.assistant}
            unreachable={t.unreachable}
            cut-off={t.cutOff}
          >
            <Messages chat={chat} />
            {proposal !== null && (
              <ProposalCards
                proposal={proposal}
                action={isApplied ? null : path}
                problem={refused?.isApplying ? refused.problem : null}
              />
            )}
            <TalkForm
              action={path}
              chat={chat}
              refused={refused?.isApplying ? undefined : refused}
            />
          </designer-chat>
        )}
      </div>
    </ProjectShell>
  );
}

const Messages = ({ chat }: { chat: ChatRecord | null }) => {
  const t = texts().ai.designer;
  const messages = chat?.messages ?? [];
  return (
    <ol class="talk">
      {messages.length === 0 && <li class="empty">{t.empty}</li>}
      {messages.map(({ role, content }) => (
        <li class={role}>
          <b>{t.speakers[role]}</b>
          <p>{content}</p>
        </li>
      ))}
    </ol>
  );
};

const TalkForm = (
  { action, chat, refused }: {
    action: string;
    chat: ChatRecord | null;
    refused: RefusedTurn | undefined;
  },
) => {
  const t = texts().ai.designer;
  const { label, sample } = chat === null || chat.messages.length === 0 ? t.first : t.next;
  return (
    <form method="post" action={action} hx-boost="false">
      <Refusal problem={refused?.problem ?? null} />
      <label>
        {label}
        <textarea
          name="userMessage"
          rows={3}
          maxlength={AI_CHAT_MESSAGE_LENGTH_MAX}
          placeholder={sample}
          required
        >
          {refused?.userMessage ?? ""}
        </textarea>
      </label>
      <div class="acts">
        <button>{t.send}</button>
        {chat !== null && chat.turns > 0 && <small>{t.turnsLeft(AI_TURNS_MAX - chat.turns)}</small>}
      </div>
    </form>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "designer-chat": {
        api: string;
        user: string;
        assistant: string;
        unreachable: string;
        "cut-off": string;
        children?: unknown;
      };
    }
  }
}
