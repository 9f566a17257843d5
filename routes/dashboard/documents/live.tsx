import type { ChangePosition } from "@/lib/store/port.ts";
import { accessByMember } from "@/lib/events/live/member_access.ts";
import { NO_STORE } from "@/lib/http/respond.ts";
import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { texts } from "../texts/mod.ts";
import { type Context, documentsPath, type GridContext, serverCaller } from "./context.ts";
import { gridPath, livePath, liveQuery, readView, type View } from "./view.ts";

export const followDocuments: PageHandler<ProjectMember<SignedInAccount>, "collectionName"> =
  async (
    c,
  ) => {
    const { services, principal, state } = c.var;
    const view = readView(documentsPath(c), state.query);
    const body = await services.liveLists.open({
      holder: state.budgetHolder,
      caller: serverCaller(c),
      collectionName: c.req.valid("param").collectionName,
      query: liveQuery(view),
      lastEventId: c.req.header("last-event-id") ?? view.after,
      access: await accessByMember(services, principal),
      listener: `account ${principal.account.accountId}`,
    });
    const headers = [NO_STORE, ["x-content-type-options", "nosniff"]] as const;
    return { status: 200, body, type: "text/event-stream", headers, isOpenEnded: true };
  };

/** Returns the position in the project's changes. Later reads contain all changes up to it. */
export const currentPosition = (c: Context): Promise<ChangePosition> =>
  c.var.services.engine.changes.head(c.var.principal.project._id);

interface LiveChangesProps {
  readonly context: GridContext;
  readonly view: View;
  /** Id of the event up to which the grid shows all changes. */
  readonly after: string;
}

/** Button that appears when documents change. Scripts set its text. */
export const LiveChanges = ({ context: { collection }, view, after }: LiveChangesProps) =>
  collection.definition.events
    ? (
      <live-changes src={livePath(view, after)} aria-live="polite" {...scriptTexts()}>
        <button type="button" hx-get={gridPath(view)} hx-target="body" hidden></button>
      </live-changes>
    )
    : null;

function scriptTexts() {
  const { one, several, many, unknown } = texts().documents.grid.changes;
  return {
    "data-one": one,
    "data-several": several("{count}"),
    "data-many": many("{count}"),
    "data-unknown": unknown,
  };
}
