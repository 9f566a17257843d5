import { storedForms } from "../emails.ts";
import { UniqueViolation } from "./errors.ts";
import { eq, within } from "./filter.ts";
import type { Filter, Id, Records, StoredRecord } from "./port.ts";

/** Users and accounts, whose `emailLower` is unique. */
type Addressed = StoredRecord & { readonly emailLower: string | null };

/** Matches the records that have an address, in whichever form it was stored. */
export function hasEmail(email: string): Filter {
  const forms = storedForms(email);
  return forms.length === 1 ? eq("emailLower", forms[0]!) : within("emailLower", forms);
}

/** The record that has an e-mail address, or one that looks like it; null for none. */
export async function findByEmail<T extends Addressed>(
  records: Pick<Records<T>, "find" | "findOne">,
  email: string,
): Promise<T | null> {
  const forms = storedForms(email);
  if (forms.length === 1) return (await records.findOne(hasEmail(email)))?.value ?? null;
  // Earlier versions took the two forms of one domain for two addresses.
  const found = await Array.fromAsync(records.find({ filter: hasEmail(email) }));
  return found.find(({ emailLower }) => emailLower === forms[0]) ?? found[0] ?? null;
}

/**
 * Refuses an address that another record has in a form of earlier versions, which the unique index
 * does not see. Throws `UniqueViolation`, as the index does.
 */
export async function refuseTakenForms<T extends Addressed>(
  records: Pick<Records<T>, "find" | "findOne">,
  email: string | null,
  ownId: Id,
): Promise<void> {
  if (email === null || storedForms(email).length === 1) return;
  const found = await Array.fromAsync(records.find({ filter: hasEmail(email) }));
  if (found.some(({ _id }) => _id !== ownId)) throw new UniqueViolation("emailLower");
}
