import { texts } from "../texts/mod.ts";
import type { GridContext } from "./context.ts";
import { gridPath, isTrash, parameterOf, toFirstPage, TRASH_DAYS, type View } from "./view.ts";

/** Explanation of an empty grid, with the next steps. */
export const EmptyGrid = (
  { context, view, isFiltered }: { context: GridContext; view: View; isFiltered: boolean },
) => (
  <div class="grid-empty">
    <Explanation context={context} view={view} isFiltered={isFiltered} />
  </div>
);

const Explanation = (
  { context, view, isFiltered }: { context: GridContext; view: View; isFiltered: boolean },
) => {
  const { empty: t } = texts().documents;
  const everything = gridPath({ ...toFirstPage(view, []), columns: view.columns });
  if (parameterOf(view, "cursor") !== null || parameterOf(view, "page") !== null) {
    return (
      <>
        <p>{t.page}</p>
        <a role="button" class="quiet" href={gridPath(toFirstPage(view))}>{t.firstPage}</a>
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
  const call = <code>{`POST /api/data/${context.collection.definition.name}`}</code>;
  return (
    <>
      <p>{t.none}</p>
      {context.canWrite && (
        <p>
          <a role="button" href={`${context.path}/new`}>{t.create}</a>{" "}
          <a role="button" class="quiet" href={`${context.path}/import`}>{t.import}</a>
        </p>
      )}
      <p>{context.canWrite ? t.send(call) : t.sent(call)}</p>
    </>
  );
};
