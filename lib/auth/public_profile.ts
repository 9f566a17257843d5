import type { Json } from "../store/port.ts";
import { isObject, own } from "../store/shape.ts";

/** A field that a project declares for its users. */
export interface DeclaredUserField {
  readonly key: string;
  /** Whether everybody may see it. */
  readonly public: boolean;
}

type Members = { readonly [name: string]: Json };

/** Values of declared fields, each of them: null where nothing is stored. */
export function shownFields(
  declared: readonly DeclaredUserField[],
  stored: Json | undefined,
): { [name: string]: Json } {
  const values: Members = stored !== undefined && isObject(stored) ? stored : {};
  return Object.fromEntries(declared.map(({ key }) => [key, own(values, key) ?? null]));
}

/** What everybody may see of a user: by their username, and in the place of a reference to them. */
export const publicProfile = (
  declared: readonly DeclaredUserField[],
  { _id, username, name, avatarUrl, createdAt, fields }: Members,
): { [name: string]: Json } => ({
  _id: _id!,
  username: username ?? null,
  name: name ?? null,
  avatarUrl: avatarUrl ?? null,
  createdAt: createdAt ?? null,
  ...shownFields(declared.filter((field) => field.public), fields),
});
