import type { StoredDocument } from "@/lib/documents/collection.ts";
import { valueAt } from "@/lib/store/shape.ts";
import { type Column, rowName, Value } from "./cells.tsx";
import { type Path, pathsOf } from "./paths.ts";
import type { Room } from "./room.ts";
import { sortingBy } from "./sorting.ts";
import { hrefOf, type View } from "./view.ts";

interface TableProps {
  readonly room: Room;
  readonly view: View;
  readonly columns: readonly Column[];
  readonly documents: readonly StoredDocument[];
}

/** The documents in rows; with boxes before them for who may change them. */
export const Table = ({ room, view, columns, documents }: TableProps) => {
  const paths = pathsOf(room.collection);
  const { path, mayWrite } = room;
  return (
    <table>
      <thead>
        <tr>
          {mayWrite && (
            <td class="pick">
              <select-all></select-all>
            </td>
          )}
          {columns.map(({ path }) => <Header view={view} path={paths.get(path)} name={path} />)}
        </tr>
      </thead>
      <tbody>
        {documents.map((document) => (
          <Row path={path} columns={columns} document={document} mayWrite={mayWrite} />
        ))}
      </tbody>
    </table>
  );
};

const ARROWS = { ascending: " ↑", descending: " ↓" } as const;

const Header = (
  { view, path, name }: { view: View; path: Path | undefined; name: string },
) => {
  const sorting = path === undefined ? null : sortingBy(view, path);
  const order = sorting?.order ?? null;
  return (
    <th
      scope="col"
      {...(path?.type === "Number" && { class: "num" })}
      {...(order !== null && { "aria-sort": order })}
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
          <small>{path?.word ?? "undeclared"}</small>
        </>
      )}
    </th>
  );
};

const Row = (
  { path, columns, document, mayWrite }: {
    path: string;
    columns: readonly Column[];
    document: StoredDocument;
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
          <input type="checkbox" name="id" value={id} aria-label={`Select ${name}`} />
        </td>
      )}
      {columns.map((column, i) => {
        const value = <Value value={valueAt(document, column.path)} column={column} />;
        return (
          <td {...(column.type === "Number" && { class: "num" })}>
            {i > 0
              ? value
              : (
                <a href={`${path}/documents/${id}`} {...(name !== first && { "aria-label": name })}>
                  {value}
                </a>
              )}
          </td>
        );
      })}
    </tr>
  );
};
