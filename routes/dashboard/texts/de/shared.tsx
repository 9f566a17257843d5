import { PASSWORD_LENGTH_MIN } from "@/lib/limits.ts";
import type { JsonFaultKind } from "@/lib/store/json_fault.ts";
import type { shared as en } from "../en/shared.tsx";

const JSON_FAULTS: Readonly<Record<JsonFaultKind, string>> = {
  value: "hier fehlt ein Wert",
  name: "hier fehlt ein Name in doppelten Anführungszeichen",
  colon: "hier fehlt ein Doppelpunkt",
  next: "hier fehlt ein Komma oder das Ende der Liste oder des Objekts",
  end: "danach darf nichts mehr stehen",
  cutOff: "der Text endet zu früh",
  openString: "der Text endet mitten in einer Zeichenkette",
  control: "eine Zeichenkette enthält einen Zeilenumbruch oder ein Steuerzeichen: für einen " +
    'Zeilenumbruch "\\n" schreiben',
  escape: 'unbekannte Maskierung in einer Zeichenkette: für einen Backslash "\\\\" schreiben',
  comma: "vor der Klammer steht ein Komma zu viel",
};

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
    label: "Site URL",
    hint: "Nach der Anmeldung kommen Benutzer unter dieser Adresse nach /auth/callback zurück.",
    save: "Site URL speichern",
  },
  conflict: {
    collection: changed("diese Sammlung"),
    document: changed("dieses Dokument"),
    list: changed("diese Liste"),
    user: changed("diesen Benutzer"),
  },
  jsonFault: ({ line, column, kind }) => ` (Zeile ${line}, Spalte ${column}: ${JSON_FAULTS[kind]})`,
  seeNow: "Ansehen, wie es jetzt ist.",
  saveMine: "Stattdessen meine Eingaben speichern",
};

function changed(what: string): string {
  return `Jemand hat ${what} inzwischen geändert. Die Eingaben sind noch da, aber nicht gespeichert.`;
}
