import type { ChangePosition } from "@/lib/store/port.ts";
import { standingOfMember } from "@/lib/events/live/member_standing.ts";
import { NO_STORE } from "@/lib/http/respond.ts";
import type { SignedInAccount } from "@/lib/projects/account_records.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import type { PageHandler } from "../../handler.ts";
import { texts } from "../texts/mod.ts";
import { type CollectionContext, pathOf, type Room, serverOf } from "./room.ts";
import { hrefOf, livePath, liveQuery, readView, type View } from "./view.ts";

/** Tells a grid which of its documents are not any more what it shows. */
export const followDocuments: PageHandler<ProjectMember<SignedInAccount>, "collectionName"> =
  async (
    c,
  ) => {
    const { services, principal, state } = c.var;
    const view = readView(pathOf(c), state.query);
    const body = await services.liveLists.open({
      holder: state.caller,
      caller: serverOf(c),
      collectionName: c.req.valid("param").collectionName,
      query: liveQuery(view),
      lastEventId: c.req.header("last-event-id") ?? view.after,
      standing: await standingOfMember(services, principal),
      listener: `account ${principal.account.accountId}`,
    });
    const headers = [NO_STORE, ["x-content-type-options", "nosniff"]] as const;
    return { status: 200, body, type: "text/event-stream", headers, isOpenEnded: true };
  };

/** Where the project's changes are: what is read after that shows all of them. */
export const changesSoFar = (c: CollectionContext): Promise<ChangePosition> =>
  c.var.services.engine.changes.head(c.var.principal.project._id);

interface LiveChangesProps {
  readonly room: Room;
  readonly view: View;
  /** The id of an event: all that comes after it is not shown yet. */
  readonly after: string;
}

/** Seen only once something has changed: then its button, to which scripts give words, shows it. */
export const LiveChanges = ({ room: { collection }, view, after }: LiveChangesProps) =>
  collection.definition.events
    ? (
      <live-changes src={livePath(view, after)} aria-live="polite" {...scriptWords()}>
        <button type="button" hx-get={hrefOf(view)} hx-target="body" hidden></button>
      </live-changes>
    )
    : null;

function scriptWords() {
  const { one, several, many, unknown } = texts().documents.grid.changes;
  return {
    "data-one": one,
    "data-several": several("{count}"),
    "data-many": many("{count}"),
    "data-unknown": unknown,
  };
}
