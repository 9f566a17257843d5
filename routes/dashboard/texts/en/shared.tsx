import { PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { Role } from "@/lib/projects/members.ts";
import type { JsonFault } from "@/lib/store/json_fault.ts";

const roles: Readonly<Record<Role, string>> = { viewer: "viewer", admin: "admin", owner: "owner" };

export const shared = {
  copy: { copy: "Copy", copied: "Copied", failed: "Not copied" },
  delete: "Delete",
  save: "Save",
  on: "on",
  off: "off",
  roles,
  plan: (name: string) => `${name} plan`,
  /** @param size With its unit. */
  heldForUploads: (size: string) => `${size} are held for uploads under way.`,
  passwordHint: `At least ${PASSWORD_LENGTH_MIN} characters, and not a common one.`,
  ofLimit: (used: string, limit: string) => `${used} of ${limit}`,
  unknownDevice: "Unknown device",
  device: (browser: string, system: string) => `${browser} on ${system}`,
  /** @param what In the plural. */
  pages: {
    of: (what: string) => `Pages of ${what}`,
    first: (what: string) => `First ${what}`,
    more: (what: string) => `More ${what}`,
  },
  siteUrl: {
    label: "Site URL",
    hint: "Users come back to /auth/callback on this address after signing in.",
    save: "Save Site URL",
  },
  conflict: {
    collection: changed("collection"),
    document: changed("document"),
    list: changed("list"),
    user: changed("user"),
  },
  /** Follows a message about invalid JSON. */
  jsonFault: ({ line, column, reason: why }: JsonFault) =>
    ` (line ${line}, column ${column}: ${why})`,
  seeNow: "See what it is now.",
  saveMine: "Save mine in its place",
};

function changed(what: string): string {
  return `This ${what} has changed since you opened it. What you entered is still here, ` +
    "and is not saved.";
}
