import { PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { shared as en } from "../en/shared.tsx";

export const shared: typeof en = {
  copy: { copy: "Kopieren", copied: "Kopiert", failed: "Nicht kopiert" },
  delete: "Löschen",
  save: "Speichern",
  on: "an",
  off: "aus",
  roles: { viewer: "Betrachter", admin: "Admin", owner: "Eigentümer" },
  plan: (name) => `Tarif ${name}`,
  heldForUploads: (size) => `${size} sind für laufende Uploads reserviert.`,
  passwordHint: `Mindestens ${PASSWORD_LENGTH_MIN} Zeichen, und kein gängiges Passwort.`,
  ofLimit: (used, limit) => `${used} von ${limit}`,
  unknownDevice: "Unbekanntes Gerät",
  device: (browser, system) => `${browser} unter ${system}`,
  pages: {
    of: (what) => `Seiten: ${what}`,
    first: (what) => `Erste ${what}`,
    more: (what) => `Weitere ${what}`,
  },
  siteUrl: {
    label: "Adresse der Anwendung (Site URL)",
    hint: "Nach der Anmeldung kommen Benutzer unter dieser Adresse nach /auth/callback zurück.",
    save: "Site URL speichern",
  },
  conflict: {
    collection: changed("diese Sammlung"),
    document: changed("dieses Dokument"),
    list: changed("diese Liste"),
    user: changed("diesen Benutzer"),
  },
  seeNow: "Ansehen, wie es jetzt ist.",
  saveMine: "Stattdessen meine Eingaben speichern",
};

function changed(what: string): string {
  return `Jemand hat ${what} inzwischen geändert. Die Eingaben sind noch da, aber nicht gespeichert.`;
}
