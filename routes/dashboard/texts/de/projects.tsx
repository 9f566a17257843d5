import { counted } from "../amounts.ts";
import type { projects as en } from "../en/projects.tsx";

export const projects: typeof en = {
  title: "Projekte",
  done: {
    deleted: "Das Projekt ist im Papierkorb: Nichts davon ist mehr erreichbar.",
    left: "Das Projekt ist verlassen.",
    declined: "Die Einladung ist abgelehnt.",
  },
  none: (email) =>
    "Ein Projekt enthält die Benutzer, Daten und Dateien einer Anwendung. Hier lässt sich das " +
    `erste anlegen, oder jemand lädt ${email} in ein anderes ein.`,
  paged: "Projekte",
  holds: ({ documents, collections, users }) =>
    `${counted(documents, "Dokument", "Dokumente")} in ` +
    `${counted(collections, "Sammlung", "Sammlungen")}, ${counted(users, "Benutzer", "Benutzer")}`,
  files: "Dateien",
  create: {
    title: "Neues Projekt",
    name: "Name",
    siteUrl: "Site URL (optional)",
    siteUrlHint: "Wo die Anwendung läuft: Dorthin kommen Benutzer nach der Anmeldung zurück.",
    submit: "Projekt anlegen",
  },
  created: {
    keys: "API-Schlüssel",
    about:
      "Der geheime Schlüssel wird nur dieses eine Mal gezeigt: jetzt kopieren. Ein verlorener " +
      "lässt sich nur erneuern. Der öffentliche Schlüssel bleibt auf der Seite des Projekts.",
    publishableKey: "Öffentlicher Schlüssel, für Browser",
    secretKey: "Geheimer Schlüssel, nur für Server",
    open: "Zum Projekt",
  },
  trash: {
    title: "Papierkorb",
    about:
      "Wer diesen Server betreibt, kann ein Projekt mit dem Befehl darunter wiederherstellen. " +
      "Bis es endgültig entfernt ist, zählt es zu den Projekten, die der Tarif erlaubt.",
    until: (when) => <>wiederherstellbar bis {when}</>,
  },
  settings: {
    title: "Einstellungen",
    done: { renamed: "Der Name ist gespeichert.", siteUrl: "Die Site URL ist gespeichert." },
    siteUrl: "Site URL",
    rename: { title: "Name", name: "Name des Projekts", submit: "Umbenennen" },
    id: {
      title: "Projekt-ID",
      label: "ID",
      about: "An ihr erkennen die Kommandozeile und die API für Eigentümer das Projekt.",
    },
    usage: {
      title: "Tarif und Grenzen",
      plan: (name) =>
        `Für das Projekt gilt der Tarif seines Eigentümers: ${name}. Tarife ändert, wer diesen ` +
        "Server betreibt.",
      noPlans: "Auf diesem Server begrenzen Tarife nichts.",
      collections: "Sammlungen",
      documents: (count) => `Dokumente (${count})`,
      files: "Dateien",
      ownBucket: "Dateien kommen in einen eigenen Bucket des Projekts.",
      fileUpTo: (size) => `Eine Datei hat höchstens ${size}.`,
      aiQueries: "Eigene KI-Abfragen in diesem Monat",
      aiDesigns: "Eigene KI-Entwürfe in diesem Monat",
      aiTurns: "Eigene Nachrichten an den Assistenten in diesem Monat",
    },
    owner: {
      title: "Eigentümer",
      about: (link) => (
        <>
          Dieses Projekt gehört diesem Konto. Auf der {link("Seite der Mitglieder")}{" "}
          lässt es sich einem anderen Mitglied anbieten: Es geht über, sobald dieses annimmt.
        </>
      ),
    },
    delete: {
      title: "Projekt löschen",
      about: (days) => `Es bleibt ${counted(days, "Tag", "Tage")} im Papierkorb.`,
      loss: (days) =>
        "API-Schlüssel, Benutzer, Dokumente und Dateien sind sofort nicht mehr erreichbar. " +
        `${counted(days, "Tag", "Tage")} lang kann es wiederherstellen, wer diesen Server ` +
        "betreibt; danach ist es endgültig weg.",
      submit: "Projekt löschen",
      confirm: (name) => `Zur Sicherheit ${name} eingeben`,
    },
  },
};
