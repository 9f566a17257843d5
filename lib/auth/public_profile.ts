import type { Json } from "../store/port.ts";
import { isObject, ownMember } from "../store/shape.ts";

export interface DeclaredUserField {
  readonly key: string;
  readonly public: boolean;
}

type Members = { readonly [name: string]: Json };

/** Returns the values of all declared fields. A missing value is null. */
export function declaredValues(
  declared: readonly DeclaredUserField[],
  stored: Json | undefined,
): { [name: string]: Json } {
  const values: Members = stored !== undefined && isObject(stored) ? stored : {};
  return Object.fromEntries(declared.map(({ key }) => [key, ownMember(values, key) ?? null]));
}

/** Returns the public part of a user, for lookups by username and for populated references. */
export const toPublicProfile = (
  declared: readonly DeclaredUserField[],
  { _id, username, name, avatarUrl, createdAt, fields }: Members,
): { [name: string]: Json } => ({
  _id: _id!,
  username: username ?? null,
  name: name ?? null,
  avatarUrl: avatarUrl ?? null,
  createdAt: createdAt ?? null,
  ...declaredValues(declared.filter((field) => field.public), fields),
});
