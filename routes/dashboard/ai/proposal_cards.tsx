import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import type { Problem } from "@/lib/problems.ts";
import { AccessBadge } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { texts } from "../texts/mod.ts";

/** @param action Address of the form that creates the collections, or null if all of them exist. */
export const ProposalCards = (
  { proposal, action, problem }: {
    proposal: readonly CollectionDefinition[];
    action: string | null;
    problem: Problem | null;
  },
) => {
  const t = texts().ai.proposal;
  return (
    <section class="proposal" aria-labelledby="proposal">
      <h2 id="proposal">{t.title(proposal.length)}</h2>
      <div class="cards">
        {proposal.map((one) => (
          <article class="card">
            <h3>
              {one.name} <AccessBadge rls={one.rls} />
            </h3>
            <FieldList fields={one.fields} />
          </article>
        ))}
      </div>
      <Refusal problem={problem} />
      {action === null ? <p class="muted">{t.made}</p> : (
        <form method="post" action={action}>
          <button name="act" value="apply">{t.add}</button>
        </form>
      )}
    </section>
  );
};

const FieldList = ({ fields }: { fields: readonly FieldDefinition[] }) => {
  const t = texts().ai.proposal;
  return (
    <ul>
      {fields.map((field) => (
        <li>
          <b>{field.key}</b> <span>{typeText(field)}</span>
          {field.required && <small>{t.required}</small>}
          {field.unique && <small>{t.unique}</small>}
          {field.index && <small>{t.index}</small>}
          {field.search && <small>{t.search}</small>}
          {membersOf(field).length > 0 && <FieldList fields={membersOf(field)} />}
        </li>
      ))}
    </ul>
  );
};

function typeText({ type, ref, items }: ItemDefinition): string {
  const t = texts().ai.proposal;
  if (ref !== undefined) return t.refTo(ref);
  return items !== undefined ? t.arrayOf(typeText(items)) : type;
}

const membersOf = ({ fields, items }: ItemDefinition): readonly FieldDefinition[] =>
  fields ?? (items === undefined ? [] : membersOf(items));
