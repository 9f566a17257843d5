import { storedForms } from "../emails.ts";
import { UniqueViolation } from "./errors.ts";
import { eq, within } from "./filter.ts";
import type { Filter, Id, Records, StoredRecord } from "./port.ts";

/** A user or an account. Its `emailLower` is unique. */
type RecordWithEmail = StoredRecord & { readonly emailLower: string | null };

/** Returns a filter for records with an e-mail address, in any form in which it was stored. */
export function emailFilter(email: string): Filter {
  const forms = storedForms(email);
  return forms.length === 1 ? eq("emailLower", forms[0]!) : within("emailLower", forms);
}

/** Returns the record with an e-mail address, or with another form of it; null if there is none. */
export async function findByEmail<T extends RecordWithEmail>(
  records: Pick<Records<T>, "find" | "findOne">,
  email: string,
): Promise<T | null> {
  const forms = storedForms(email);
  if (forms.length === 1) return (await records.findOne(emailFilter(email)))?.value ?? null;
  // Earlier versions treated the two forms of a domain as different addresses.
  const found = await Array.fromAsync(records.find({ filter: emailFilter(email) }));
  return found.find(({ emailLower }) => emailLower === forms[0]) ?? found[0] ?? null;
}

/**
 * Rejects an e-mail address that another record has in a form of earlier versions, which the unique
 * index does not detect. Throws `UniqueViolation`, as the index does.
 */
export async function rejectTakenForms<T extends RecordWithEmail>(
  records: Pick<Records<T>, "find" | "findOne">,
  email: string | null,
  ownId: Id,
): Promise<void> {
  if (email === null || storedForms(email).length === 1) return;
  const found = await Array.fromAsync(records.find({ filter: emailFilter(email) }));
  if (found.some(({ _id }) => _id !== ownId)) throw new UniqueViolation("emailLower");
}
