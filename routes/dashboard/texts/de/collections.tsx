import { counted, countText } from "../amounts.ts";
import type { collections as en } from "../en/collections.tsx";

export const collections: typeof en = {
  title: "Sammlungen",
  all: "Alle Sammlungen",
  done: {
    deleted: "Die Sammlung ist gelöscht.",
    added: "Die vorgeschlagenen Sammlungen sind angelegt.",
  },
  empty: {
    admin: "Eine Sammlung enthält Dokumente einer Art, zum Beispiel Beiträge oder Bestellungen. " +
      "Am Anfang steht der Name der ersten.",
    viewer: "Es gibt hier noch keine Sammlung. Die erste legt ein Admin des Projekts an.",
  },
  create: {
    title: "Neue Sammlung",
    about: (link) => (
      <>
        Was sie enthält, wird auf der nächsten Seite festgelegt. Oder{" "}
        {link("die Sammlung beschreiben")} und entwerfen lassen.
      </>
    ),
    name: "Name",
    submit: "Sammlung anlegen",
  },
  table: {
    collection: "Sammlung",
    access: "Zugriff",
    documents: "Dokumente",
    fields: "Felder",
    fieldCount: (count) => counted(count, "Feld", "Felder"),
  },
  bar: {
    pagesOf: (name) => `Seiten von ${name}`,
    badges: {
      private: "privat",
      "public-read": "öffentlich, nur lesen",
      off: "keine Zeilenregeln",
    },
    documents: "Dokumente",
    fields: "Felder",
    access: "Zugriff",
    api: "API",
  },
  changeTakes: (documents, seconds) =>
    `Bei ${countText(documents)} Dokumenten kann es etwa ${countText(seconds)} Sekunden dauern, ` +
    "Felder oder Indexe zu ändern. Lesen geht währenddessen weiter; Schreiben in diesem Projekt " +
    "wartet, bis es fertig ist.",

  fields: {
    titleOf: (name) => `Felder von ${name}`,
    title: "Felder",
    done: {
      created: "Die Sammlung ist angelegt. Jetzt festlegen, was ihre Dokumente enthalten, oder " +
        "mit beliebigen Dokumenten beginnen.",
      saved: "Die Felder sind gespeichert.",
      renamed: "Die Sammlung ist umbenannt.",
    },
    none: "Es ist nichts festgelegt: Dokumente dürfen alles enthalten.",
    strict: "Streng: unbekannte Felder ablehnen",
    indexes: "Indizes über mehrere Felder",
    indexesHint:
      "Einer pro Zeile: zuerst die Felder, die Abfragen mit einem Wert vergleichen, dann die, die " +
      "sie mit einem Bereich vergleichen oder nach denen sie sortieren; - sortiert absteigend. " +
      "Eines davon darf ein Array einzelner Werte sein. Mit „unique“ davor dürfen keine zwei " +
      "Dokumente dieselben Werte haben.",
    renaming: "Umbenennen nimmt die Werte mit, außer bei Namen in einem Object oder einem Array. " +
      "Ein entferntes Feld behält seine gespeicherten Werte.",
    add: "Feld hinzufügen",
    save: "Felder speichern",
    rename: {
      title: "Diese Sammlung umbenennen",
      about: "Dokumente, Verweise und Webhooks gehen mit. Anwendungen müssen ab dann den neuen " +
        "Namen verwenden.",
      name: "Neuer Name",
      submit: "Sammlung umbenennen",
    },
    delete: {
      title: "Diese Sammlung löschen",
      about: "Löscht diese Sammlung und ihre Dokumente endgültig.",
      label: "Sammlung löschen",
      loss: (name, documents) =>
        `${name} und ${counted(documents, "Dokument", "Dokumente")} gehen verloren, auch die im ` +
        "Papierkorb.",
      submit: (name) => `${name} löschen`,
      confirm: (name) => `Zum Fortfahren ${name} eingeben`,
      notConfirmed: (name) => `Zum Löschen bitte den Namen eingeben: ${name}.`,
    },
  },

  row: {
    newField: "neues Feld",
    nameOf: (field) => `Name: ${field}`,
    namePlaceholder: "Name",
    typeOf: (field) => `Typ: ${field}`,
    defaultOf: (field) => `Standardwert: ${field}`,
    noDefault: "kein Standard",
    owner: "Eigentümer",
    remove: "Entfernen",
    removeOf: (field) => `Entfernen: ${field}`,
    flags: {
      required: "erforderlich",
      unique: "eindeutig",
      index: "Index",
      search: "Suche",
      public: "öffentlich",
    },
    flagOf: (field, flag) => `${field}: ${flag}`,
    holds: {
      of: (field) => `Inhalt: ${field}`,
      text: "Text",
      keep: "Dateien",
      remove: "Dateien, die mit gelöscht werden",
    },
    eachElement: "Jedes Element ist",
    elementsOf: (field) => `Elemente: ${field}`,
    anything: "beliebig",
    noMembers: "Es hat keine inneren Felder.",
    anyMembers: "Es darf beliebige innere Felder haben.",
    add: "Feld hinzufügen",
    addTo: (field) => `Feld hinzufügen in ${field}`,
    details: "Details",
    detailsOf: (type) => `Details: ${type}`,
    anyText: "jeder Text",
    valuesTitle: "Die erlaubten Werte, durch Kommas getrennt; leer für beliebigen Text",
    valuesOf: (type) => `${type}: die Werte, falls nur bestimmte erlaubt sind`,
    toWhichOf: (type) => `${type}: auf welche Sammlung`,
    toNone: "auf…",
  },

  access: {
    titleOf: (name) => `Zugriff auf ${name}`,
    title: "Zugriff",
    done: {
      saved: "Der Zugriff ist gespeichert. Er gilt innerhalb von fünf Sekunden überall.",
      indexed: "Der Index ist angelegt.",
      dropped: "Der Index ist entfernt.",
    },
    whoTitle: "Wer was darf",
    about: "Gilt für den öffentlichen Schlüssel. Der geheime Schlüssel darf immer alles.",
    choices: {
      private: {
        label: "Privat",
        means: "Angemeldete Benutzer sehen und ändern nur ihre eigenen Zeilen.",
      },
      "public-read": {
        label: "Öffentlich, nur lesen",
        means:
          "Wer den Schlüssel hat, liest alle Zeilen; angemeldete Benutzer ändern ihre eigenen.",
      },
      off: {
        label: "Keine Zeilenregeln",
        means: "Wer den Schlüssel hat, liest alle Zeilen; schreiben kann damit niemand.",
      },
    },
    who: "Wer",
    read: "Lesen",
    create: "Anlegen",
    change: "Ändern, löschen",
    callers: {
      key: "öffentlicher Schlüssel",
      user: "+ angemeldeter Benutzer",
      other: "+ anderer Benutzer",
      secret: "geheimer Schlüssel",
    },
    rights: {
      signIn: "Anmeldung nötig",
      refused: "abgelehnt",
      hidden: "verborgen",
      allRows: "alle Zeilen",
      ownRows: "eigene Zeilen",
      asOwner: "als Eigentümer",
      anyOwner: "jeder Eigentümer",
      anyRow: "jede Zeile",
    },
    ownerField: "Eigentümer-Feld",
    ownerFieldAbout: "Enthält die ID des Benutzers; der Server setzt es, nie der Client.",
    save: "Zugriff speichern",
  },

  indexes: {
    title: "Indizes",
    about: "Für Felder, nach denen gefiltert oder sortiert wird. Jeder Index macht das Schreiben " +
      "etwas langsamer.",
    fields: "Felder",
    kind: "Art",
    unique: "eindeutig",
    plain: "einfach",
    madeFor: "Angelegt für",
    reasons: {
      definition: "die Definition",
      rowRules: "Zeilenregeln, vom Server",
      lists: "Listen, vom Server",
      field: "das Feld",
    },
    remove: {
      label: "Entfernen",
      uniqueLoss: (field) => `Zwei Dokumente dürfen dann denselben Wert in ${field} haben.`,
      plainLoss: (field) =>
        `Listen, die nach ${field} filtern oder sortieren, lesen dann womöglich jede Zeile.`,
      submit: (field) => `Index von ${field} entfernen`,
    },
    noFields: "Zuerst ein Feld festlegen, dann kann es einen Index haben.",
    field: "Feld",
    uniqueChoice: "Eindeutig: Keine zwei Dokumente dürfen denselben Wert haben",
    add: "Index anlegen",
  },

  api: {
    titleOf: (name) => `API von ${name}`,
    keys: "Schlüssel",
    audiences: {
      client: "Mit dem öffentlichen Schlüssel",
      server: "Mit dem geheimen Schlüssel",
    },
    operationsLabel: "Operationen",
    operations: {
      List: "Auflisten",
      Aggregate: "Auswerten",
      Get: "Lesen",
      Create: "Anlegen",
      CreateMany: "Mehrere anlegen",
      Replace: "Ersetzen",
      Patch: "Ändern",
      Delete: "Löschen",
      Recover: "Wiederherstellen",
      Listen: "Live-Liste",
      CreateTicket: "Live-Ticket",
    },
    notes: {
      server: "Der geheime Schlüssel liest und schreibt alle Dokumente, nur von Servern aus.",
      rowRules: (link) => (
        <>
          {"<accessToken>"} erhalten Benutzer bei der Anmeldung. Alles Weitere steht in der{" "}
          {link("Referenz")}.
        </>
      ),
      noRowRules: (link) => (
        <>
          Der öffentliche Schlüssel liest. Nur der geheime Schlüssel schreibt. Alles Weitere steht
          in der {link("Referenz")}.
        </>
      ),
    },
    client: "Client",
    answers: "Antworten",
    refusals: (count) => `Ablehnungen (${count})`,
    filters: (count) => `Filter (${count})`,
  },

  run: {
    documentId: "ID des Dokuments",
    query: "Query",
    token: "Zugriffstoken",
    tokenIfSignedIn: "Zugriffstoken, falls ein Benutzer angemeldet ist",
    body: "Inhalt (Body)",
    label: "Ausführen",
    loss: "Das ändert Dokumente des Projekts.",
    submit: "Mit den Dokumenten des Projekts ausführen",
    answer: "Die Antwort",
    sending: "Wird gesendet …",
    answered: (status, ms, requestId) => `${status} in ${ms} ms, x-request-id ${requestId}`,
    failed: (why) => `Keine Antwort: ${why}`,
  },
};
