import { TRASH_MS } from "@/lib/limits.ts";
import type { Room } from "./room.ts";
import { hrefOf, isTrash, restarted, valueOf, type View } from "./view.ts";

/** No rows, and what to do next. */
export const Empty = (
  { room, view, isFiltered }: { room: Room; view: View; isFiltered: boolean },
) => (
  <div class="grid-empty">
    <Why room={room} view={view} isFiltered={isFiltered} />
  </div>
);

const Why = ({ room, view, isFiltered }: { room: Room; view: View; isFiltered: boolean }) => {
  const everything = hrefOf({ ...restarted(view, []), columns: view.columns });
  if (valueOf(view, "cursor") !== null || valueOf(view, "page") !== null) {
    return (
      <>
        <p>There is nothing on this page.</p>
        <a role="button" class="quiet" href={hrefOf(restarted(view))}>Go to the first page</a>
      </>
    );
  }
  if (isFiltered) {
    return (
      <>
        <p>No document matches these filters.</p>
        <a role="button" class="quiet" href={everything}>Clear filters</a>
      </>
    );
  }
  if (isTrash(view)) {
    return (
      <p>
        The trash is empty. What is deleted stays here until it is recovered, or for{" "}
        {TRASH_MS / 86_400_000} days.
      </p>
    );
  }
  return (
    <>
      <p>There are no documents yet.</p>
      {room.mayWrite && (
        <p>
          <a role="button" href={`${room.path}/new`}>Create the first one</a>{" "}
          <a role="button" class="quiet" href={`${room.path}/import`}>Import a file</a>
        </p>
      )}
      <p>
        {room.mayWrite ? "Or have an application send it: " : "An application sends them: "}
        <code>{`POST /api/data/${room.collection.definition.name}`}</code>
      </p>
    </>
  );
};
