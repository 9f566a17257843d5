import type { Role } from "@/lib/projects/members.ts";

const roles: Readonly<Record<Role, string>> = { viewer: "viewer", admin: "admin", owner: "owner" };

/** What more than one room says. */
export const shared = {
  copy: "Copy",
  delete: "Delete",
  save: "Save",
  on: "on",
  off: "off",
  roles,
  /** @param name Of a plan, as the API has it. */
  plan: (name: string) => `${name} plan`,
  /** @param size With its unit. */
  heldForUploads: (size: string) => `${size} are held for uploads under way.`,
};
