import { texts } from "../texts/mod.ts";
import type { Room } from "./room.ts";
import { hrefOf, isTrash, restarted, TRASH_DAYS, valueOf, type View } from "./view.ts";

/** No rows, and what to do next. */
export const Empty = (
  { room, view, isFiltered }: { room: Room; view: View; isFiltered: boolean },
) => (
  <div class="grid-empty">
    <Why room={room} view={view} isFiltered={isFiltered} />
  </div>
);

const Why = ({ room, view, isFiltered }: { room: Room; view: View; isFiltered: boolean }) => {
  const { empty: t } = texts().documents;
  const everything = hrefOf({ ...restarted(view, []), columns: view.columns });
  if (valueOf(view, "cursor") !== null || valueOf(view, "page") !== null) {
    return (
      <>
        <p>{t.page}</p>
        <a role="button" class="quiet" href={hrefOf(restarted(view))}>{t.firstPage}</a>
      </>
    );
  }
  if (isFiltered) {
    return (
      <>
        <p>{t.noMatch}</p>
        <a role="button" class="quiet" href={everything}>{t.clear}</a>
      </>
    );
  }
  if (isTrash(view)) return <p>{t.trash(TRASH_DAYS)}</p>;
  const call = <code>{`POST /api/data/${room.collection.definition.name}`}</code>;
  return (
    <>
      <p>{t.none}</p>
      {room.mayWrite && (
        <p>
          <a role="button" href={`${room.path}/new`}>{t.create}</a>{" "}
          <a role="button" class="quiet" href={`${room.path}/import`}>{t.import}</a>
        </p>
      )}
      <p>{room.mayWrite ? t.send(call) : t.sent(call)}</p>
    </>
  );
};
