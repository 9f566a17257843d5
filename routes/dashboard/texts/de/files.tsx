import { counted, countText } from "../amounts.ts";
import type { files as en } from "../en/files.tsx";

export const files: typeof en = {
  title: "Dateien",
  done: {
    uploaded: "Die Datei ist hochgeladen.",
    deleted: "Die Datei ist gelöscht.",
    public: "Die Datei ist öffentlich: Wer ihre Adresse kennt, kann sie lesen.",
    private: "Die Datei ist privat: Ihre öffentliche Adresse gilt nicht mehr.",
  },
  empty: {
    page: "Es gibt keine weiteren Dateien.",
    admin: "Noch keine Dateien. Oben eine auswählen, oder den eigenen Server einen Upload " +
      "anfordern lassen.",
    viewer: "Noch keine Dateien. Admins laden sie hier hoch, Server über die API.",
  },
  pages: { label: "Seiten", first: "Erste Seite", next: "Nächste Seite" },
  used: "Belegt",
  inOwnBucket: "Neue Dateien kommen in den eigenen Bucket des Projekts.",
  unknownType: "Datei",
  upload: {
    title: "Hochladen",
    file: (size) => `Eine Datei bis ${size}`,
    submit: "Hochladen",
    drop: "Oder Dateien und Ordner hier ablegen.",
    folder: "Ordner auswählen",
    sent: (done, all) => `${done} von ${all} Dateien sind hochgeladen.`,
    unreachable: "Corbel ist nicht erreichbar: bitte noch einmal versuchen.",
    failed: "Das ist fehlgeschlagen: bitte noch einmal versuchen.",
    lost: "Die Verbindung ist abgebrochen: die Datei bitte noch einmal ablegen.",
  },
  tile: {
    private: "privat",
    noAddress: "Keine öffentliche Adresse",
    owner: (link) => <>von {link("einem Benutzer")}</>,
    details: "Details",
    copyUrl: "URL kopieren",
  },
  makePublic: "Öffentlich machen",
  makePrivate: "Privat machen",
  deleteLoss: (size) => `Die Datei wird endgültig gelöscht, mitsamt ihrer Adresse: ${size}.`,
  deleteForGood: "Endgültig löschen",
  details: {
    path: "Pfad",
    address: "Adresse",
    noAddress: "keine, unter der alle sie lesen können",
    type: "Typ",
    readBy: "Lesbar für",
    readers: { private: "alle, die eine signierte Adresse haben", public: "alle" },
    uploaded: "Hochgeladen",
    uploadedBy: (when, link) => <>{when} von {link("einem Benutzer")}</>,
  },
  uses: {
    title: "Wo sie verwendet wird",
    none: () => (
      <>
        Kein Dokument enthält sie in einem Feld mit <code>file: true</code>.
      </>
    ),
    documents: (count, collection) =>
      `${counted(count, "Dokument", "Dokumente")} aus ${collection}`,
    inField: (documents, field) => <>{documents} im Feld {field}</>,
    inFieldAndTrash: (documents, field, inTrash) => (
      <>{documents} im Feld {field}, und {countText(inTrash)} im Papierkorb</>
    ),
  },
  sizes: {
    title: "Größen",
    about: "Das Bild in anderen Größen, im besten Format, das der Browser kennt. Jede entsteht, " +
      "wenn sie zum ersten Mal abgerufen wird.",
    wide: (pixels) => `${pixels} Pixel breit`,
  },
  userUploads: {
    title: "Uploads von Benutzern",
    saved: "Gespeichert. Gilt innerhalb von fünf Sekunden.",
    about: "Benutzer der Anwendung laden Dateien mit dem öffentlichen Schlüssel und ihrem " +
      "Zugriffstoken hoch: Ein eigener Server ist dafür nicht nötig. Alle sehen und löschen nur " +
      "ihre eigenen Dateien; wer die Adresse einer Datei kennt, kann sie lesen, außer sie ist " +
      "privat.",
    who: "Wer hochlädt",
    servers: "Server",
    serversHint: "Nur der eigene Server, mit dem geheimen Schlüssel, und Mitglieder hier.",
    serversAndMembers: "Server und Mitglieder",
    signedIn: "Auch angemeldete Benutzer",
    signedInHint: "Alle, die angemeldet sind, auch anonyme Benutzer.",
    file: "Größte Datei eines Benutzers",
    fileMb: "Größte Datei eines Benutzers, in MB",
    all: "Platz für jeden Benutzer",
    allMb: "Platz für jeden Benutzer, in MB",
    allHint: (max) =>
      `Alle Dateien eines Benutzers zusammen; höchstens ${max} Dateien. Die Grenzen des Tarifs ` +
      "gelten auch.",
    types: "Typen",
    typesHint: "Ein einzelner wie application/pdf, alle einer Art wie image/* oder alle als */*, " +
      "durch Kommas getrennt.",
    save: "Uploads speichern",
  },
  storage: {
    title: "Speicher",
    done: {
      saved: "Gespeichert. Neue Dateien kommen in diesen Bucket. Am besten jetzt prüfen, damit " +
        "dort kein Upload fehlschlägt.",
      cleared: "Neue Dateien kommen in den Speicher von Corbel.",
    },
    ownBucket: "Eigener Bucket",
    aboutOff: "Dateien kommen in den Speicher von Corbel. Ist ein S3-Bucket verbunden, kommen " +
      "neue Dateien stattdessen dorthin.",
    aboutOn:
      "Neue Dateien kommen in diesen Bucket. Endpunkt und Bucket lassen sich nicht ändern, " +
      "solange Dateien darin sind.",
    endpoint: "Endpunkt",
    endpointHint: "Die Adresse des Speichers. Leer für AWS.",
    bucket: "Bucket",
    region: "Region",
    regionHint: "AWS braucht sie. Andere Speicher nehmen meist jede.",
    pathStyle: "Der Name des Buckets in Adressen",
    pathStyles: {
      "": "wie üblich: im Pfad, bei AWS im Host",
      path: "im Pfad",
      host: "im Host",
    },
    publicUrl: "Öffentliche URL",
    publicUrlHint: "Wo alle den Bucket lesen können. Ohne sie haben Dateien keine Adresse.",
    noPublicUrl: "keine",
    accessKeyId: "Zugriffsschlüssel-ID",
    secretAccessKey: "Geheimer Zugriffsschlüssel",
    keepKey: "gespeichert; leer lassen zum Behalten",
    keys: "Schlüssel",
    keysStored: "gespeichert",
    disconnect: {
      title: "Bucket trennen",
      about: "Neue Dateien kommen wieder in den Speicher von Corbel. Solange Dateien im Bucket " +
        "sind, wird es abgelehnt.",
      label: "Trennen",
      loss: "Die Adresse des Buckets und seine Schlüssel werden vergessen. Was im Bucket ist, " +
        "bleibt dort.",
      submit: "Bucket trennen",
    },
  },
  check: {
    title: "Prüfung",
    about:
      "Prüft im Bucket jeden Schritt eines Uploads, als Corbel, als Browser und als Fremder. " +
      "Es bleibt nichts zurück, und es dauert ein paar Sekunden.",
    submit: "Bucket prüfen",
    found: "Ergebnis der Prüfung",
    works: "Der Bucket funktioniert.",
    fails: "Der Bucket funktioniert noch nicht: Unten steht, was fehlgeschlagen ist.",
    results: {
      ok: "ok",
      warning: "Warnung",
      failed: "fehlgeschlagen",
      skipped: "übersprungen",
    },
    corsRules: "CORS-Regeln für den Bucket",
    policy: "Richtlinie für den Bucket",
  },
};
