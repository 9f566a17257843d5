import { counted } from "../amounts.ts";
import type { ai as en } from "../en/ai.tsx";

const usage: typeof en.usage = {
  title: "Eigene Nutzung",
  ofOwnKey: "Dieses Projekt fragt mit eigenem Schlüssel: Hier wird nichts gezählt, und es gilt " +
    "keine Grenze.",
  ofServerKey: (plan) =>
    `Was mit dem Schlüssel dieses Servers gefragt wird, in allen Projekten zusammen, im Tarif ` +
    `${plan}.`,
  queries: "Abfragen in diesem Monat",
  designs: "Entwürfe in diesem Monat",
  turns: "Nachrichten an den Assistenten in diesem Monat",
  resets: (when) => <>Neu gezählt wird ab {when}</>,
};

const key: typeof en.key = {
  title: "Schlüssel dieses Projekts",
  stored: "gespeichert",
  about: {
    stored:
      "Alle KI-Anfragen dieses Projekts laufen über den gespeicherten Schlüssel, gleich wer " +
      "fragt. Es gilt keine Grenze.",
    none: "Mit einem eigenen Schlüssel laufen alle KI-Anfragen dieses Projekts über ihn, und es " +
      "gilt keine Grenze.",
    unused: "Ein Schlüssel ist gespeichert, aber der Tarif des Eigentümers benutzt ihn nicht: " +
      "Dafür ist der Tarif Pro nötig.",
    notInPlan: "Für einen eigenen Schlüssel ist der Tarif Pro beim Eigentümer des Projekts " +
      "nötig. Dann gilt keine Grenze.",
  },
  newKey: "Neuer Schlüssel, anstelle des gespeicherten",
  providerKey: "Schlüssel des KI-Anbieters",
  hint: "Beginnt mit gsk_. Er wird verschlüsselt aufbewahrt und nie wieder angezeigt.",
  replace: "Schlüssel ersetzen",
  save: "Schlüssel speichern",
  clear: "Schlüssel entfernen",
  clearLoss: "Das Projekt fragt dann mit dem Schlüssel des eigenen Kontos oder dem dieses " +
    "Servers, innerhalb seiner Grenzen.",
  clearNow: "Den Schlüssel entfernen",
  done: {
    saved: "Der Schlüssel ist gespeichert. Er wird verschlüsselt aufbewahrt und nie angezeigt.",
    cleared: "Der Schlüssel ist entfernt.",
  },
};

const designer: typeof en.designer = {
  title: "Sammlungen entwerfen",
  restart: "Neu beginnen",
  restartLoss: "Dieser Chat und sein Vorschlag werden vergessen. Sammlungen bleiben.",
  restartNow: "Chat vergessen",
  onlyAdmins: "Nur Admins des Projekts können mit dem Assistenten Sammlungen entwerfen.",
  speakers: { user: "Ich", assistant: "Assistent" },
  empty: "Beschreiben, worum es in der Anwendung geht und was sie speichert. Ein Vorschlag " +
    "erscheint als Karten, und nichts wird angelegt, bevor es hinzugefügt wird.",
  first: { label: "Die Anwendung", sample: "Ein Blog mit Beiträgen, Kommentaren und Tags." },
  next: { label: "Die Antwort", sample: "Beiträge brauchen auch ein Datum." },
  send: "Senden",
  turnsLeft: (count) => `Noch ${counted(count, "Nachricht", "Nachrichten")} in diesem Chat möglich`,
  unreachable: "Der Server ist nicht erreichbar. Bitte noch einmal versuchen.",
  cutOff: "Die Antwort brach ab. Bitte noch einmal versuchen.",
};

const proposal: typeof en.proposal = {
  title: (count) => `Vorschlag: ${counted(count, "Sammlung", "Sammlungen")}`,
  made: "Diese sind jetzt im Projekt. Weitere Nachrichten führen zu weiteren Vorschlägen.",
  add: "Diese hinzufügen",
  required: "erforderlich",
  unique: "eindeutig",
  index: "Index",
  search: "Suche",
  refTo: (collection) => `Ref auf ${collection}`,
  arrayOf: (type) => `Array aus ${type}`,
};

export const ai: typeof en = {
  title: "KI",
  creator: {
    title: "Assistent für Sammlungen",
    about: "Beschreiben, was die Anwendung speichert, und ihre Sammlungen entwerfen lassen.",
    open: "Sammlungen entwerfen",
  },
  usage,
  key,
  designer,
  proposal,
};
