import type { StoredDocument } from "@/lib/documents/collection.ts";
import type { Json } from "@/lib/store/port.ts";
import { valueAt } from "@/lib/store/shape.ts";
import { collectionPath } from "../collections/bar.tsx";
import { texts } from "../texts/mod.ts";
import { type Column, isId, rowName, shownValue } from "./cells.tsx";
import { type Path, pathsOf, wordOf } from "./paths.ts";
import type { Names } from "./references.ts";
import type { Room } from "./room.ts";
import { sortingBy } from "./sorting.ts";
import { beside, hrefOf, isTrash, type View } from "./view.ts";

/** What the table shows. */
export interface Rows {
  readonly columns: readonly Column[];
  readonly documents: readonly StoredDocument[];
  /** Of what the documents refer to, by its collection. */
  readonly names: ReadonlyMap<string, Names>;
}

interface TableProps extends Rows {
  readonly room: Room;
  readonly view: View;
}

/** The documents in rows; with boxes before them for who may change them. */
export const Table = ({ room, view, columns, documents, names }: TableProps) => {
  const paths = pathsOf(room.collection);
  const { path, mayWrite, frame: { home } } = room;
  const { grid: t } = texts().documents;
  const wayBack = beside(view, ""); // Made once: it takes longer than the rest of a row.
  return (
    <table>
      <thead>
        <tr>
          {mayWrite && (
            <td class="pick">
              <select-all label={t.selectAll}></select-all>
            </td>
          )}
          {columns.map(({ path }) => (
            <Header
              view={view}
              path={paths.get(path)}
              name={path}
              isEditable={mayWrite && !isTrash(view) && isTopLevel(room, path)}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <Row
            href={`${path}/documents/${document._id}${wayBack}`}
            columns={columns}
            document={document}
            names={names}
            home={home}
            mayWrite={mayWrite}
          />
        ))}
      </tbody>
    </table>
  );
};

/** Objects are edited in their documents, as a whole. */
const isTopLevel = ({ collection: { definition } }: Room, path: string): boolean =>
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
      {...(path?.type === "Number" && { class: "num" })}
      {...(order !== null && { "aria-sort": order })}
      {...(isEditable && { "data-field": name })}
    >
      {sorting === null ? name : (
        <a href={hrefOf(sorting.next)}>
          {name}
          {order !== null && <span aria-hidden="true">{ARROWS[order]}</span>}
        </a>
      )}
      {path?.isServers !== true && (
        <>
          {" "}
          <small>
            {path === undefined ? texts().documents.kinds.undeclared : wordOf(path)}
          </small>
        </>
      )}
      <column-width column={name}></column-width>
    </th>
  );
};

const Row = (
  { href, columns, document, names, home, mayWrite }: Pick<Rows, "columns" | "names"> & {
    href: string;
    document: StoredDocument;
    home: string;
    mayWrite: boolean;
  },
) => {
  const id = document._id;
  const first = columns[0] && valueAt(document, columns[0].path);
  const name = rowName(document, first);
  return (
    <tr>
      {mayWrite && (
        <td class="pick">
          <input
            type="checkbox"
            name="id"
            value={id}
            aria-label={texts().documents.grid.select(name)}
          />
        </td>
      )}
      {columns.map((column, i) => {
        const value = valueAt(document, column.path);
        const referred = referredBy(column, value, home);
        const shown = (referred && names.get(column.ref!)?.get(referred.id)) ??
          shownValue(value, column);
        return (
          <td class={column.type === "Number" ? "num" : undefined}>
            {i === 0
              ? <a href={href} aria-label={name === first ? undefined : name}>{shown}</a>
              : referred === null
              ? shown
              : <a href={referred.href} title={referred.id}>{shown}</a>}
          </td>
        );
      })}
    </tr>
  );
};

/** Where a reference leads; null for what is none. */
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
