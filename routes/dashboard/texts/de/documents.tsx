import { bytesText, counted, countText, exactBytesText } from "../amounts.ts";
import type { BulkAct, Chosen, documents as en } from "../en/documents.tsx";

const types: typeof en.kinds.types = {
  String: "Text",
  Number: "Zahl",
  Boolean: "ja oder nein",
  Date: "Datum",
  Object: "Objekt",
  Array: "Liste",
  Ref: "ID",
};

const kinds: typeof en.kinds = {
  types,
  entered: {
    ...types,
    Date: "Datum, UTC",
    Object: "Objekt, als JSON",
    Array: "Liste, als JSON",
  },
  owner: "Eigentümer",
  idIn: (collection) => `ID aus ${collection}`,
  oneOf: "eines von diesen",
  file: "Pfad einer Datei",
  files: "Pfade von Dateien, als JSON",
  undeclared: "nicht festgelegt",
  undeclaredJson: "nicht festgelegt, als JSON",
  required: (kind) => `${kind}, erforderlich`,
};

const filters: typeof en.filters = {
  asked: {
    eq: "ist",
    ne: "ist nicht",
    gt: "ist größer als",
    gte: "ist mindestens",
    lt: "ist kleiner als",
    lte: "ist höchstens",
    in: "ist eines von",
    nin: "ist keines von",
    exists: "ist gesetzt:",
    regex: "passt auf das Muster",
    contains: "enthält",
    startsWith: "beginnt mit",
  },
  askedOfTexts: { gt: "kommt nach", lt: "kommt vor" },
  askedOfDates: { gte: "ist frühestens", lt: "ist vor", gt: "ist nach", lte: "ist spätestens" },
  askedOfLists: { eq: "hat", ne: "hat nicht", in: "hat eines von", nin: "hat keines von" },
  set: "ist gesetzt",
  notSet: "ist nicht gesetzt",
  menu: "+ Filter",
  field: "Welches Feld?",
  value: "Wert",
  time: "Zeit (UTC)",
  several: "Bei „eines von“ mehrere, durch Kommas getrennt.",
  add: "Filter hinzufügen",
  change: "Filter ändern",
  changeOne: (filter) => `Ändern: ${filter}`,
  removeOne: (filter) => `Entfernen: ${filter}`,
  more: (count) => `und ${countText(count)} weitere Filter`,
};

const tools: typeof en.tools = {
  search: "Suchen",
  searchIn: (fields) => `Suchen in ${fields}`,
  trash: "Papierkorb",
  leaveTrash: "Papierkorb verlassen",
  columns: {
    menu: "Spalten",
    legend: "Sichtbare Spalten",
    show: "Anzeigen",
    reset: "Zurücksetzen",
    tooMany: (count, max) => `Das sind ${count} Spalten: Es können höchstens ${max} sein.`,
  },
  views: {
    menu: "Ansichten",
    name: "Diese Ansicht speichern als",
    replaces: "Eine Ansicht mit demselben Namen wird ersetzt.",
    save: "Ansicht speichern",
    deleteLoss: "Die Ansicht verschwindet für alle Mitglieder. Die Dokumente bleiben.",
    deleteNow: (name) => `Ansicht ${name} löschen`,
  },
  ask: {
    label: "In Worten beschreiben",
    sample: "oder in Worten: Entwürfe von letzter Woche mit mehr als 100 Aufrufen",
    ask: "Filtern",
    dropped: "Nicht alles davon ließ sich als Filter ausdrücken:",
  },
};

const grid: typeof en.grid = {
  label: "Dokumente",
  import: "Importieren",
  export: "Exportieren",
  allMatching: "Alle passenden Dokumente",
  csvForExcel: "CSV für Excel",
  create: "Neues Dokument",
  select: (name) => `${name} auswählen`,
  selectAll: "Alle auswählen",
  selected: (count) => `${count} ausgewählt`,
  recoverSelected: "Auswahl wiederherstellen",
  removeSelected: "Auswahl endgültig löschen",
  editSelected: "Auswahl bearbeiten",
  deleteSelected: "Auswahl löschen",
  newer: "‹ Neuere",
  older: "Ältere ›",
  previous: "‹ Zurück",
  next: "Weiter ›",
  place: (shown, total) => `${shown} von ${countText(total)}`,
  placeAbout: (shown, total) => `${shown} von etwa ${countText(total)}`,
  tooSlow: (fields) => (
    <>
      In {fields("den Feldern")} einen Index anlegen oder einen Filter entfernen.
    </>
  ),
  refused: (all) => <>Oben einen Filter ändern oder entfernen, oder {all("alles anzeigen")}.</>,
  done: {
    created: "Angelegt.",
    saved: "Gespeichert.",
    changed: "Geändert.",
    recovered: "Wiederhergestellt.",
    removed: "Endgültig gelöscht.",
    "view-saved": "Die Ansicht ist gespeichert, für alle Mitglieder.",
    "view-deleted": "Die Ansicht ist gelöscht.",
    imported: "Alle Zeilen sind importiert.",
  },
  deleted: (days) => `Gelöscht. Bleibt noch ${days} Tage im Papierkorb.`,
  changes: {
    one: "1 Änderung: anzeigen",
    several: (count) => `${count} Änderungen: anzeigen`,
    many: (count) => `Mehr als ${count} Änderungen: anzeigen`,
    unknown: "Vielleicht hat sich etwas geändert: anzeigen",
  },
  panel: {
    label: "Dokument",
    close: "Schließen",
    page: "Als Seite öffnen",
    leave: "Die Eingaben sind nicht gespeichert. Trotzdem verlassen?",
  },
  cell: {
    keys: (field) => `${field}: Enter speichert, Escape bricht ab`,
    unreachable: "Der Server ist nicht erreichbar. Mit Enter noch einmal versuchen.",
    conflict: "Jemand hat dieses Dokument inzwischen geändert. Es ist nichts gespeichert: Escape " +
      "drücken und noch einmal ansehen.",
    refused: "Das ist nicht gespeichert.",
  },
  call: {
    label: "Der API-Aufruf dieser Ansicht",
    ownOnly: "nur eigene Dokumente, außer mit dem geheimen Schlüssel",
    curl: "Als curl kopieren",
    fetch: "Als fetch kopieren",
  },
};

const empty: typeof en.empty = {
  page: "Auf dieser Seite ist nichts.",
  firstPage: "Zur ersten Seite",
  noMatch: "Kein Dokument passt zu diesen Filtern.",
  clear: "Filter entfernen",
  trash: (days) =>
    "Der Papierkorb ist leer. Gelöschtes bleibt hier, bis es wiederhergestellt wird, oder " +
    `${days} Tage lang.`,
  none: "Es gibt noch keine Dokumente.",
  create: "Das erste anlegen",
  import: "Datei importieren",
  send: (call) => <>Oder von einer Anwendung senden lassen: {call}</>,
  sent: (call) => <>Eine Anwendung sendet sie: {call}</>,
};

const acted: Readonly<Record<BulkAct, string>> = {
  edit: "geändert",
  delete: "gelöscht",
  remove: "endgültig gelöscht",
  recover: "wiederhergestellt",
};

/** As a sentence begins with them. */
function chosenText({ size, isAll }: Chosen): string {
  if (size === null) return "Alle passenden Dokumente";
  if (!isAll) return counted(size, "Dokument", "Dokumente");
  return size === 1 ? "Das eine passende Dokument" : `Alle ${countText(size)} passenden Dokumente`;
}

const bulk: typeof en.bulk = {
  edit: (chosen) => `${chosenText(chosen)} bearbeiten`,
  change: (chosen) => `${chosenText(chosen)} ändern`,
  delete: (chosen) => `${chosenText(chosen)} löschen`,
  deleteSure: (chosen) => `${chosenText(chosen)} löschen?`,
  deleteLoss: (days) =>
    `Gelöschtes kommt in den Papierkorb und lässt sich ${days} Tage lang wiederherstellen.`,
  remove: (chosen) => `${chosenText(chosen)} endgültig löschen`,
  removeSure: (chosen) => `${chosenText(chosen)} endgültig löschen?`,
  removeLoss: "Danach lässt sich nichts mehr wiederherstellen.",
  keep: "Behalten",
  field: "Welches Feld?",
  noFields: "Zuerst ein Feld festlegen, dann lässt es sich hier setzen.",
  value: "Die Eingabe ersetzt den bisherigen Inhalt. Leer gelassen wird das Feld null.",
  unfinished: "Noch nicht fertig",
  progress: (act, done, failed) =>
    counted(done, "Dokument", "Dokumente") + ` ${acted[act]}` +
    (failed > 0 ? `, ${countText(failed)} nicht` : "") + ". Es gibt noch mehr.",
  continue: "Weiter",
  stop: "Hier aufhören",
  undone: (act, done, all) =>
    `${countText(done)} von ${counted(all, "Dokument", "Dokumenten")} ${acted[act]}. Diese nicht:`,
  moreUndone: (count) => `Und ${countText(count)} weitere.`,
  noneSelected: "Zuerst Dokumente auswählen.",
  tooMany: (max) => `Höchstens ${max} Dokumente auf einmal auswählen, oder alle passenden.`,
};

const editor: typeof en.editor = {
  create: "Neues Dokument",
  ways: { label: "Darstellung", form: "Formular" },
  done: { saved: "Gespeichert.", created: "Angelegt. Hier lässt sich ein weiteres anlegen." },
  inTrash: (days) =>
    `Es ist im Papierkorb und lässt sich ab dem Löschen ${days} Tage lang wiederherstellen.`,
  back: "Zurück zur Liste",
  createNow: "Dokument anlegen",
  createAnother: "Anlegen und ein weiteres hinzufügen",
  saveAndStay: "Speichern und hierbleiben",
  noFields: "Es sind keine Felder festgelegt: Das Dokument als JSON schreiben.",
  emptied: "Ein geleertes Feld wird null.",
  whole: "Das ganze Dokument, ohne das, was der Server setzt",
  created: "Angelegt",
  changed: "Geändert",
  deleted: "Gelöscht",
  recover: "Wiederherstellen",
  remove: "Endgültig löschen",
  removeLoss: "Danach lässt es sich nicht mehr wiederherstellen.",
  removeNow: "Dieses Dokument endgültig löschen",
  duplicate: "Duplizieren",
  deleteLoss: (days) =>
    `Es kommt in den Papierkorb und lässt sich ${days} Tage lang wiederherstellen.`,
  deleteNow: "Dieses Dokument löschen",
  whereEmpty: (value) => `${value}, wenn es leer bleibt`,
  find: {
    label: (field) => `Nach Namen suchen für ${field}`,
    hint: "Nach Namen suchen",
    find: "Suchen",
    findFor: (field) => `Suchen für ${field}`,
    none: (words) => `Nichts gefunden für „${words}“.`,
    found: (count, words) => `${countText(count)} zur Auswahl, für „${words}“.`,
    lookUp: "Nachschlagen",
  },
  notJson: "ist kein gültiges JSON",
  fault: (field, fault) => `Feld „${field}“: ${fault}.`,
  invalidJson: (where) => `Das ist kein gültiges JSON${where}.`,
  inexactInteger: (integer) =>
    `enthält die ganze Zahl ${integer}, die ein Feld vom Typ Number nicht genau fassen kann: ` +
    "als String speichern",
  inexactJson: (fault) => `Das ${fault}.`,
  notObject: "Ein Dokument ist ein JSON-Objekt: { … }.",
};

const importing: typeof en.importing = {
  page: (collection) => `In ${collection} importieren`,
  title: "Dokumente importieren",
  about: (most) =>
    "CSV, dessen erste Zeile die Felder benennt, oder eine JSON-Liste von Dokumenten; bis zu " +
    `${bytesText(most.bytes)}, ${countText(most.rows)} Zeilen und ${countText(most.columns)} ` +
    "Spalten. Was aus jeder Zeile wird, ist zu sehen, bevor etwas gespeichert wird.",
  file: "Datei",
  text: "Oder ihr Text",
  preview: "Vorschau",
  back: "Zurück zur Liste",
  nothingYet: "Noch ist nichts gespeichert",
  read: (good, failed) =>
    `${rows(good + failed)} gelesen: ${good === 0 ? "keine" : countText(good)} importierbar` +
    (failed > 0 ? `, ${countText(failed)} nicht.` : "."),
  leftOut: (names) => `Vom Server gesetzt und deshalb weggelassen: ${names}.`,
  rows: "Zeilen",
  import: (count) => `${rows(count)} importieren`,
  another: "Andere Datei auswählen",
  outcome: (stored, failed) => `${rows(stored)} importiert, ${countText(failed)} nicht`,
  mend: (count) =>
    count === 1
      ? "Die eine Zeile berichtigen, die sich nicht importieren lässt"
      : `Die ${countText(count)} Zeilen berichtigen, die sich nicht importieren lassen`,
  sameAsJson: "Dieselben Zeilen als JSON",
  failedRows: "Zeilen, die sich nicht importieren lassen",
  firstRows: "Die ersten Zeilen",
  row: "Zeile",
  why: "Warum sie sich nicht importieren lässt",
  more: (count) => `und ${counted(count, "weitere Zeile", "weitere Zeilen")}`,
  noFile: "Eine Datei auswählen oder ihren Text einfügen.",
  notUtf8: "Die Datei ist nicht in UTF-8: bitte als CSV UTF-8 oder als JSON speichern.",
  noPreview: "Das sind keine Zeilen einer Vorschau: bitte von vorn beginnen.",
  tooLarge: (max) => `Die Datei ist größer als ${exactBytesText(max)}: bitte in Teilen senden.`,
  unreadable: "Das Formular ist nicht lesbar oder wurde abgeschnitten: bitte noch einmal senden.",
};

function rows(count: number): string {
  return counted(count, "Zeile", "Zeilen");
}

export const documents: typeof en = {
  yes: "ja",
  no: "nein",
  cancel: "Abbrechen",
  kinds,
  filters,
  tools,
  grid,
  empty,
  bulk,
  editor,
  importing,
};
