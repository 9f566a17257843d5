import type { Problem } from "@/lib/problems.ts";
import { ConfirmForm, Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";
import { tabPath } from "./bar.tsx";
import type { CollectionPage } from "./collection_page.ts";
import { type CollectionIndex, indexablePaths, indexesOf } from "./indexes.ts";

export const IndexCard = (
  { page, refused }: {
    page: CollectionPage;
    refused: { readonly form: URLSearchParams; readonly problem: Problem } | undefined;
  },
) => {
  const { frame, collection, canEdit } = page;
  const action = tabPath(frame.home, collection.name, "access");
  const t = texts().collections.indexes;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>{t.about}</p>
      <Refusal problem={refused?.problem ?? null} />
      <div class="scroll" role="region" aria-label={t.title} tabindex={0}>
        <table class="snug">
          <thead>
            <tr>
              <th scope="col">{t.fields}</th>
              <th scope="col">{t.kind}</th>
              <th scope="col">{t.madeFor}</th>
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
    index: CollectionIndex;
    action: string;
    canEdit: boolean;
  },
) => {
  const { reasons, remove, ...t } = texts().collections.indexes;
  return (
    <tr>
      <th scope="row">{paths.join(", ")}</th>
      <td>{unique ? t.unique : t.plain}</td>
      <td>
        {field === null && isDeclared && reasons.definition}
        {field === null && !isDeclared && (paths.length > 1 ? reasons.rowRules : reasons.lists)}
        {field !== null && !canEdit && reasons.field}
        {field !== null && canEdit && (
          <ConfirmForm
            label={remove.label}
            loss={unique ? remove.uniqueLoss(field) : remove.plainLoss(field)}
            action={action}
            button={remove.submit(field)}
          >
            <input type="hidden" name="act" value="drop" />
            <input type="hidden" name="field" value={field} />
            {unique && <input type="hidden" name="unique" value="on" />}
          </ConfirmForm>
        )}
      </td>
    </tr>
  );
};

const AddIndex = (
  { page: { collection }, action, entered }: {
    page: CollectionPage;
    action: string;
    entered: URLSearchParams | undefined;
  },
) => {
  const t = texts().collections.indexes;
  const paths = indexablePaths(collection);
  if (paths.length === 0) return <p>{t.noFields}</p>;
  return (
    <form method="post" action={action} class="line">
      <label>
        {t.field}
        <select name="field">
          {paths.map((path) => <option selected={path === entered?.get("field")}>{path}</option>)}
        </select>
      </label>
      <label>
        <input type="checkbox" name="unique" checked={entered?.has("unique") ?? false} />
        {t.uniqueChoice}
      </label>
      <button name="act" value="index">{t.add}</button>
    </form>
  );
};
