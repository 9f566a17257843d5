import { raw } from "hono/html";
import type { StoredDocument } from "@/lib/documents/collection.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import { valueAt } from "@/lib/store/shape.ts";
import { escapeHtml } from "@/lib/text/html.ts";
import { collectionPath } from "../collections/bar.tsx";
import { texts } from "../texts/mod.ts";
import { cellMarkup, type Column, isId, rowName } from "./cells.ts";
import { inputOf, type Path, pathsOf, typeWord } from "./paths.ts";
import type { Names } from "./references.ts";
import type { GridContext } from "./context.ts";
import { sortingBy } from "./sorting.ts";
import { gridPath, isTrash, type View, withView } from "./view.ts";

export interface Rows {
  readonly columns: readonly Column[];
  readonly documents: readonly StoredDocument[];
  readonly names: ReadonlyMap<string, Names>;
}

interface TableProps extends Rows {
  readonly context: GridContext;
  readonly view: View;
}

/** Table of documents, with checkboxes for members who may change them. */
export const Table = ({ context, view, columns, documents, names }: TableProps) => {
  const paths = pathsOf(context.collection);
  const { path, canWrite, frame: { home } } = context;
  const { grid: t } = texts().documents;
  const viewQuery = withView(view, ""); // Computed once, because it is slow.
  return (
    <table>
      <thead>
        <tr>
          {canWrite && (
            <td class="pick">
              <select-all label={t.selectAll}></select-all>
            </td>
          )}
          {columns.map(({ path }) => (
            <Header
              view={view}
              path={paths.get(path)}
              name={path}
              isEditable={canWrite && !isTrash(view) && isTopLevel(context, path)}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {raw(
          documents.map((document) =>
            rowMarkup({
              href: `${path}/documents/${document._id}${viewQuery}`,
              columns,
              document,
              names,
              home,
              canWrite,
            })
          ).join(""),
        )}
      </tbody>
    </table>
  );
};

/** Whether a path is a field of the document itself. Members of objects are not edited in cells. */
const isTopLevel = ({ collection: { definition } }: GridContext, path: string): boolean =>
  definition.fields.some(({ key }) => key === path);

const ARROWS = { ascending: " ↑", descending: " ↓" } as const;

const Header = (
  { view, path, name, isEditable }: {
    view: View;
    path: Path | undefined;
    name: string;
    isEditable: boolean;
  },
) => {
  const sorting = path === undefined ? null : sortingBy(view, path);
  const order = sorting?.order ?? null;
  return (
    <th
      scope="col"
      class={inputOf(path?.type) === "number" ? "num" : undefined}
      aria-sort={order ?? undefined}
      data-field={isEditable ? name : undefined}
    >
      {sorting === null ? name : (
        <a href={gridPath(sorting.next)}>
          {name}
          {order !== null && <span aria-hidden="true">{ARROWS[order]}</span>}
        </a>
      )}
      {path?.isSetByServer !== true && (
        <>
          {" "}
          <small>{path === undefined ? texts().documents.kinds.undeclared : typeWord(path)}</small>
        </>
      )}
      <column-width column={name}></column-width>
    </th>
  );
};

interface RowProps extends Pick<Rows, "columns" | "names"> {
  readonly href: string;
  readonly document: StoredDocument;
  readonly home: string;
  readonly canWrite: boolean;
}

/** Returns the HTML of a row. */
function rowMarkup({ href, columns, document, names, home, canWrite }: RowProps): string {
  const first = columns[0] && valueAt(document, columns[0].path);
  const name = rowName(document, first);
  const label = name === first ? "" : `aria-label="${escapeHtml(name)}"`;
  const cells = columns.map((column, i) => {
    const value = valueAt(document, column.path);
    const referred = referredBy(column, value, home);
    const called = referred === null ? undefined : names.get(column.ref!)?.get(referred.id);
    const shown = called === undefined ? cellMarkup(value, column) : escapeHtml(called);
    const cell = i === 0
      ? linkMarkup(href, label, shown)
      : referred === null
      ? shown
      : linkMarkup(referred.href, `title="${referred.id}"`, shown);
    return inputOf(column.type) === "number" ? `<td class="num">${cell}</td>` : `<td>${cell}</td>`;
  });
  return `<tr>${canWrite ? checkboxMarkup(document._id, name) : ""}${cells.join("")}</tr>`;
}

const linkMarkup = (href: string, attribute: string, shown: string): string =>
  `<a href="${escapeHtml(href)}" ${attribute}>${shown}</a>`;

function checkboxMarkup(id: Id, name: string): string {
  const label = escapeHtml(texts().documents.grid.select(name));
  return `<td class="pick"><input type="checkbox" name="id" value="${id}" aria-label="${label}"></td>`;
}

/** Returns the id and the address of a referenced document, or null. */
function referredBy({ ref }: Column, value: Json | undefined, home: string) {
  if (ref === null || !isId(value)) return null;
  const path = ref === "users" ? `${home}/users` : `${collectionPath(home, ref)}/documents`;
  return { id: value, href: `${path}/${value}` };
}

declare module "hono/jsx" {
  namespace JSX {
    interface IntrinsicElements {
      "column-width": { column: string };
      "select-all": { label: string };
    }
  }
}
