import { parseInput } from "@/openapi/inputs.ts";
import { CreatorMessage } from "@/openapi/schemas/ai.ts";
import { type ChatRecord, endChat, findChat } from "@/lib/ai/chats.ts";
import { applyProposal, designCollections } from "@/lib/ai/design_collections.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { AI_CHAT_MESSAGE_LENGTH_MAX, AI_TURNS_MAX } from "@/lib/limits.ts";
import { includes, type ProjectMember } from "@/lib/projects/members.ts";
import type { Problem } from "@/lib/problems.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { counted } from "@/lib/text/amounts.ts";
import { homeOf, loadFrame } from "../frame.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { ProposalCards } from "./proposal_cards.tsx";

export const showDesigner: PageHandler<ProjectMember> = async (c) =>
  pageReply(await designerPage(c));

/** One turn, or what a button says: `apply` makes what was proposed, `restart` forgets the chat. */
export const talkToDesigner: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const gone = c.req.raw.signal;
  const form = await c.var.body.form();
  const act = form.get("act");
  const userMessage = form.get("userMessage") ?? "";
  const home = homeOf(principal.project._id);
  const tried = await attempt(async () => {
    if (act === "apply") {
      await applyProposal(services, principal);
      return `${home}/collections?done=added`;
    }
    if (act === "restart") await endChat(services, principal);
    else {
      const { userMessage: message } = parseInput(CreatorMessage, { userMessage });
      await designCollections(services, principal, message, { gone });
    }
    return `${home}/ai/designer`;
  });
  if (tried.problem === null) return seeOther(tried.value);
  const { problem } = tried;
  const page = await designerPage(c, { userMessage, isApplying: act === "apply", problem });
  return pageReply(page, { status: problem.status });
};

interface Refused {
  readonly userMessage: string;
  readonly isApplying: boolean;
  readonly problem: Problem;
}

async function designerPage(c: PageContext<ProjectMember>, refused?: Refused) {
  const { services, principal } = c.var;
  const [frame, chat] = await Promise.all([
    loadFrame(services, principal),
    findChat(services, principal),
  ]);
  const path = `${frame.home}/ai/designer`;
  const canEdit = includes(principal.role, "admin");
  const proposal = (chat?.proposal ?? null) as CollectionDefinition[] | null; // As stored.
  const existing = new Set(frame.collections.map(({ name }) => name.toLowerCase()));
  const isMade = proposal?.every(({ name }) => existing.has(name.toLowerCase())) ?? false;
  return (
    <ProjectShell frame={frame} title="Design collections" current={`${frame.home}/ai`}>
      <Bar title="Design collections">
        <span class="grow"></span>
        {chat !== null && canEdit && (
          <Ask
            label="Start over"
            loss="This chat and its proposal will be forgotten. Collections stay."
            action={path}
            button="Forget the chat"
          >
            <input type="hidden" name="act" value="restart" />
          </Ask>
        )}
      </Bar>
      <div class="sheet">
        {!canEdit && <p>Only admins of the project talk to the collection creator.</p>}
        {proposal === null && refused?.isApplying && <Refusal problem={refused.problem} />}
        {canEdit && (
          <designer-chat api={`/api/projects/${frame.projectId}/ai/collection-creator`}>
            <Messages chat={chat} />
            {proposal !== null && (
              <ProposalCards
                proposal={proposal}
                action={isMade ? null : path}
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

const WHO = { user: "You", assistant: "Creator" } as const;

const Messages = ({ chat }: { chat: ChatRecord | null }) =>
  chat === null || chat.messages.length === 0
    ? (
      <ol class="talk">
        <li class="empty">
          Say what your application is about and what it keeps. A proposal is shown as cards, and
          nothing is made before you add it.
        </li>
      </ol>
    )
    : (
      <ol class="talk">
        {chat.messages.map(({ role, content }) => (
          <li class={role}>
            <b>{WHO[role]}</b>
            <p>{content}</p>
          </li>
        ))}
      </ol>
    );

const TalkForm = (
  { action, chat, refused }: {
    action: string;
    chat: ChatRecord | null;
    refused: Refused | undefined;
  },
) => {
  const isFirst = chat === null || chat.messages.length === 0;
  return (
    <form method="post" action={action} hx-boost="false">
      <Refusal problem={refused?.problem ?? null} />
      <label>
        {isFirst ? "Your application" : "Your answer"}
        <textarea
          name="userMessage"
          rows={3}
          maxlength={AI_CHAT_MESSAGE_LENGTH_MAX}
          placeholder={isFirst
            ? "A blog with posts, comments and tags."
            : "Posts need a date, too."}
          required
        >
          {refused?.userMessage ?? ""}
        </textarea>
      </label>
      <div class="acts">
        <button>Send</button>
        {chat !== null && chat.turns > 0 && (
          <small>{counted(AI_TURNS_MAX - chat.turns, "turn")} left in this chat</small>
        )}
      </div>
    </form>
  );
};

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "designer-chat": { api: string; children?: unknown };
    }
  }
}
