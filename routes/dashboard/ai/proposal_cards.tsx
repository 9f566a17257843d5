import type {
  CollectionDefinition,
  FieldDefinition,
  ItemDefinition,
} from "@/lib/documents/fields.ts";
import type { Problem } from "@/lib/problems.ts";
import { AccessBadge } from "../collections/bar.tsx";
import { Refusal } from "../components/forms.tsx";
import { counted } from "@/lib/text/amounts.ts";

/** @param action Where to add them; null once all of them are there. */
export const ProposalCards = (
  { proposal, action, problem }: {
    proposal: readonly CollectionDefinition[];
    action: string | null;
    problem: Problem | null;
  },
) => (
  <section class="proposal" aria-labelledby="proposal">
    <h2 id="proposal">Proposed: {counted(proposal.length, "collection")}</h2>
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
    {action === null
      ? <p class="muted">These are in the project now. Say more to have others proposed.</p>
      : (
        <form method="post" action={action}>
          <button name="act" value="apply">Add these</button>
        </form>
      )}
  </section>
);

const FieldList = ({ fields }: { fields: readonly FieldDefinition[] }) => (
  <ul>
    {fields.map((field) => (
      <li>
        <b>{field.key}</b> <span>{typeWords(field)}</span>
        {field.required && <small>required</small>}
        {field.unique && <small>unique</small>}
        {field.index && <small>index</small>}
        {field.search && <small>search</small>}
        {membersOf(field).length > 0 && <FieldList fields={membersOf(field)} />}
      </li>
    ))}
  </ul>
);

const typeWords = ({ type, ref, items }: ItemDefinition): string => {
  if (type === "Ref") return `Ref to ${ref}`;
  return type === "Array" && items !== undefined ? `Array of ${typeWords(items)}` : type;
};

const membersOf = ({ fields, items }: ItemDefinition): readonly FieldDefinition[] =>
  fields ?? (items === undefined ? [] : membersOf(items));
