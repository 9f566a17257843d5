import type { Problem } from "@/lib/problems.ts";
import { Ask, Refusal } from "../components/forms.tsx";
import { tabPath } from "./bar.tsx";
import type { CollectionPage } from "./collection_page.ts";
import { indexablePaths, indexesOf, type ShownIndex } from "./indexes.ts";

export const IndexCard = (
  { page, refused }: {
    page: CollectionPage;
    refused: { readonly form: URLSearchParams; readonly problem: Problem } | undefined;
  },
) => {
  const { frame, collection, canEdit } = page;
  const action = tabPath(frame.home, collection.name, "access");
  return (
    <article class="card">
      <h2>Indexes</h2>
      <p>Index the fields you filter or sort by. Each index makes writes a little slower.</p>
      <Refusal problem={refused?.problem ?? null} />
      <div class="scroll">
        <table class="snug">
          <thead>
            <tr>
              <th scope="col">Fields</th>
              <th scope="col">Kind</th>
              <th scope="col">Made for</th>
            </tr>
          </thead>
          <tbody>
            {indexesOf(collection).map((index) => (
              <IndexRow index={index} action={action} canEdit={canEdit} />
            ))}
          </tbody>
        </table>
      </div>
      {canEdit && <AddIndex page={page} action={action} entered={refused?.form} />}
    </article>
  );
};

const IndexRow = (
  { index: { paths, unique, field, isDeclared }, action, canEdit }: {
    index: ShownIndex;
    action: string;
    canEdit: boolean;
  },
) => (
  <tr>
    <th scope="row">{paths.join(", ")}</th>
    <td>{unique ? "unique" : "plain"}</td>
    <td>
      {field === null && isDeclared && "the definition"}
      {field === null && !isDeclared &&
        (paths.length > 1 ? "row rules, by the server" : "lists, by the server")}
      {field !== null && !canEdit && "the field"}
      {field !== null && canEdit && (
        <Ask
          label="Remove"
          loss={unique
            ? `Two documents may then have the same ${field}.`
            : `Lists that filter or sort by ${field} may then read every row.`}
          action={action}
          button={`Remove the index of ${field}`}
        >
          <input type="hidden" name="act" value="drop" />
          <input type="hidden" name="field" value={field} />
          {unique && <input type="hidden" name="unique" value="on" />}
        </Ask>
      )}
    </td>
  </tr>
);

const AddIndex = (
  { page: { collection }, action, entered }: {
    page: CollectionPage;
    action: string;
    entered: URLSearchParams | undefined;
  },
) => {
  const paths = indexablePaths(collection);
  if (paths.length === 0) return <p>Declare a field first, then it can have an index.</p>;
  return (
    <form method="post" action={action} class="line">
      <label>
        Field
        <select name="field">
          {paths.map((path) => <option selected={path === entered?.get("field")}>{path}</option>)}
        </select>
      </label>
      <label>
        <input type="checkbox" name="unique" checked={entered?.has("unique") ?? false} />
        Unique: no two documents may have the same value
      </label>
      <button name="act" value="index">Add index</button>
    </form>
  );
};
