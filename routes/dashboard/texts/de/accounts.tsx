import { bytesText, counted } from "../amounts.ts";
import type { accounts as en } from "../en/accounts.tsx";

const fields: typeof en.fields = {
  email: "E-Mail",
  name: "Name",
  password: "Passwort",
  currentPassword: "Aktuelles Passwort",
  newPassword: "Neues Passwort",
  code: "Code",
};

const done: typeof en.done = {
  verified: "Die E-Mail-Adresse ist bestätigt.",
  name: "Der Name ist gespeichert.",
  code: "Hat kein anderes Konto diese E-Mail-Adresse, ist ein Code an sie unterwegs.",
  email: "Die E-Mail-Adresse ist geändert.",
  password: "Das Passwort ist geändert. Alle anderen Geräte sind abgemeldet.",
  session: "Die Sitzung ist beendet.",
  sessions: "Alle anderen Sitzungen sind beendet.",
  token: "Das Token ist gelöscht.",
  "ai-key": "Der KI-Schlüssel ist gespeichert.",
  "ai-key-cleared": "Der KI-Schlüssel ist entfernt.",
};

const you: typeof en.you = {
  title: "Eigene Angaben",
  registered: "Registriert",
  verified: "bestätigt",
  notVerified: "nicht bestätigt",
  kept: (mailbox) => (
    <>
      E-Mails werden hier nicht gesendet, sondern aufbewahrt: Die eigenen sind im{" "}
      {mailbox("Postfach")}.
    </>
  ),
  prove: (enter) => (
    <>
      Ein Code weist nach, wem die Adresse gehört. Schon einen bekommen? {enter("Code eingeben")}.
    </>
  ),
  sendCode: "Code senden",
  noMail: (command) => (
    <>
      Dieser Server sendet keine E-Mails, daher werden Adressen nicht bestätigt. Ist das Passwort
      vergessen, setzt ein anderes, wer den Server betreibt: {command}.
    </>
  ),
};

const identity: typeof en.identity = {
  title: "Name und E-Mail",
  nameHint: "Mitglieder der eigenen Projekte sehen ihn. Leer lassen, um keinen zu haben.",
  saveName: "Namen speichern",
  newEmail: "Neue E-Mail-Adresse",
  newEmailHint: "An sie wird ein Code gesendet. Bis er eingegeben ist, ändert sich nichts.",
  changeEmail: "E-Mail-Adresse ändern",
  codeHint: "Die sechs Ziffern aus der neuesten E-Mail an die neue Adresse.",
  confirm: "Neue E-Mail-Adresse bestätigen",
};

const plan: typeof en.plan = {
  title: "Tarif",
  isOff: "Auf diesem Server begrenzen Tarife nichts.",
  yours: (name) =>
    `Für dieses Konto gilt der Tarif ${name}. Tarife ändert, wer diesen Server betreibt.`,
  owned: "Eigene Projekte",
  trashed: (count) => `Davon ${counted(count, "Projekt", "Projekte")} im Papierkorb.`,
  ofProject: "In jedem Projekt",
  project: ({ collections, documentBytes, storageBytes }) =>
    `${counted(collections, "Sammlung", "Sammlungen")}, ` +
    `${bytesText(documentBytes)} an Dokumenten, ${bytesText(storageBytes)} an Dateien`,
  ofFile: "Eine Datei",
  file: (size) => `höchstens ${size}`,
  ofAi: "KI im Monat",
  ai: ({ aiQueriesPerMonth, aiDesignsPerMonth, aiTurnsPerMonth }) =>
    `${counted(aiQueriesPerMonth, "Abfrage", "Abfragen")}, ` +
    `${counted(aiDesignsPerMonth, "Entwurf", "Entwürfe")} von Sammlungen, ` +
    `${counted(aiTurnsPerMonth, "Nachricht", "Nachrichten")} an den Assistenten`,
  ownAiKey: "Eigener KI-Schlüssel",
  yes: "ja",
  no: "nein",
};

const ai: typeof en.ai = {
  title: "KI",
  keySet: "Schlüssel gespeichert",
  noKey: "kein Schlüssel",
  about: (resets) => (
    <>
      Anfragen mit dem Schlüssel dieses Servers werden gezählt. Die Zählung beginnt neu {resets}.
    </>
  ),
  queries: "Abfragen in diesem Monat",
  designs: "Entwürfe in diesem Monat",
  turns: "Nachrichten an den Assistenten in diesem Monat",
  notInPlan: "Mit eigenem Schlüssel (Pro): keine Grenze im Monat.",
  keptKey: "Der gespeicherte bleibt und wird wieder benutzt, sobald der Tarif es erlaubt.",
  ownKey: "Eigener Schlüssel",
  otherKey: "Neuer Schlüssel, anstelle des gespeicherten",
  keyHint: "Von Groq, beginnt mit gsk_. Er wird verschlüsselt aufbewahrt und nie wieder angezeigt.",
  replace: "Schlüssel ersetzen",
  save: "Schlüssel speichern",
  clear: "Schlüssel entfernen",
  clearLoss: "Für Anfragen gelten dann wieder die Grenzen des Tarifs. Der Schlüssel lässt sich " +
    "nicht wiederherstellen.",
};

const password: typeof en.password = {
  title: "Passwort",
  about: "Ein neues Passwort meldet alle Geräte außer diesem ab. Persönliche Zugriffstokens " +
    "bleiben gültig.",
  change: "Passwort ändern",
};

const sessions: typeof en.sessions = {
  title: "Sitzungen",
  about: "Wo dieses Konto angemeldet ist. Unbekannte Sitzungen beenden, dann das Passwort ändern.",
  pages: "Sitzungen",
  unknown: "unbekannt",
  current: "diese",
  used: (when) => <>benutzt {when}</>,
  usedFrom: (network, when) => <>Netz {network} · benutzt {when}</>,
  end: "Beenden",
  endLoss: "Dieses Gerät wird sofort abgemeldet; was dort eingegeben und nicht gespeichert ist, " +
    "geht verloren.",
  endNow: (device) => `Sitzung beenden: ${device}`,
  endOthers: "Alle anderen beenden",
  endOthersLoss: "Alle anderen Geräte werden sofort abgemeldet.",
  endOthersNow: "Alle anderen Sitzungen beenden",
};

const tokens: typeof en.tokens = {
  title: "Persönliche Zugriffstokens",
  about:
    "Mit einem davon arbeitet ein Programm von überall an den eigenen Projekten, soweit dieses " +
    "Konto es darf: die Kommandozeile, ein Deployment. Keines ändert das Konto selbst.",
  fresh: (name) => `Token ${name}`,
  once: "Es wird nur dieses eine Mal gezeigt: jetzt kopieren.",
  access: { read: "liest", write: "liest und schreibt" },
  used: (when) => <>benutzt {when}</>,
  neverUsed: "nie benutzt",
  expires: (when) => <>gültig bis {when}</>,
  allProjects: "alle Projekte",
  otherProjects: (count) => counted(count, "anderes Projekt", "andere Projekte"),
  deleteLoss: "Was mit diesem Token arbeitet, wird sofort abgelehnt.",
  deleteNow: (name) => `${name} löschen`,
  create: "Token erzeugen",
  form: {
    name: "Wofür es ist",
    nameSample: "Deployment",
    access: "Zugriff",
    read: "Lesen",
    readHint: "Es ändert nichts, verbraucht nichts und sieht keine Geheimnisse.",
    write: "Lesen und schreiben",
    writeHint:
      "Es darf, was dieses Konto darf: auch API-Schlüssel, Mitglieder und Löschen, wo das " +
      "Konto Admin oder Eigentümer ist.",
    projects: "Projekte",
    all: "Alle",
    allHint: "Auch künftige. Nur ein solches Token legt Projekte an.",
    some: "Diese",
    someHint: "Mindestens eines ankreuzen.",
    noProjects: "Bisher gibt es keine.",
    days: "Tage, bis es abläuft",
    daysHint: (max) => `Von 1 bis ${max}.`,
    submit: "Token erzeugen",
  },
};

const deletion: typeof en.deletion = {
  title: "Konto löschen",
  owned: (count, projects) => (
    <>
      Diesem Konto {count === 1 ? "gehört" : "gehören"}{" "}
      {projects(counted(count, "Projekt", "Projekte"))}: vorher löschen oder einem anderen Mitglied
      anbieten.
    </>
  ),
  loss: "Das Konto, seine Sitzungen und Tokens, sein KI-Schlüssel und seine Mitgliedschaften in " +
    "Projekten anderer sind sofort weg und lassen sich nicht wiederherstellen.",
  password: "Passwort dieses Kontos",
  submit: "Dieses Konto löschen",
};

const mailbox: typeof en.mailbox = {
  title: "Postfach",
  hint: "Codes und Einladungen an die eigene Adresse erscheinen hier.",
};

const codes: typeof en.codes = {
  forgotten: {
    title: "Passwort vergessen?",
    about: "Ein Code kommt per E-Mail; mit ihm lässt sich ein neues wählen.",
    submit: "Code senden",
    noMail: (command) => (
      <>
        Dieser Server sendet keine E-Mails. Wer ihn betreibt, setzt auf Anfrage ein neues Passwort:
        {" "}
        {command}.
      </>
    ),
  },
  titles: { verify: "E-Mail-Adresse bestätigen", resetPassword: "Neues Passwort wählen" },
  sent: {
    verify: (minutes) =>
      "Lässt sich diese E-Mail-Adresse bestätigen, ist ein Code unterwegs. Er gilt " +
      `${minutes} Minuten.`,
    resetPassword: (minutes) =>
      `Hat ein Konto diese E-Mail-Adresse, ist ein Code unterwegs. Er gilt ${minutes} Minuten.`,
  },
  codeHint: "Die sechs Ziffern aus der neuesten E-Mail.",
  ownPasswordHint:
    "Das bei der Anmeldung des Kontos gewählte. Bleibt das Feld leer, ist danach ein neues zu wählen.",
  signsOut: "Alle Geräte werden abgemeldet.",
  submit: { verify: "Bestätigen", resetPassword: "Passwort setzen" },
  again: "Noch einen Code senden",
  toSignIn: "Zur Anmeldung",
};

const signIn: typeof en.signIn = {
  title: "Anmelden",
  done: {
    deleted: "Das Konto ist gelöscht.",
    verified: "Die E-Mail-Adresse ist bestätigt.",
    dropped:
      "Die E-Mail-Adresse ist bestätigt. Weil hier kein Konto angemeldet war und kein Passwort angegeben wurde, gilt das bisherige nicht mehr: Bitte ein neues wählen.",
    reset: "Das Passwort ist gesetzt, und alle Geräte sind abgemeldet.",
  },
  invited: "Eine Einladung in ein Projekt wartet: Sie erscheint nach dem Anmelden.",
  submit: "Anmelden",
  forgotten: "Passwort vergessen?",
  newHere: (register) => <>Neu hier? {register("Konto anlegen")}</>,
  noAccount: (register) => <>Dieser Server hat noch kein Konto. {register("Konto anlegen")}</>,
};

const register: typeof en.register = {
  title: "Konto anlegen",
  first: "Dieser Server hat noch kein Konto. Das erste braucht keine Einladung, alle weiteren " +
    "brauchen eine.",
  name: "Name (optional)",
  submit: "Konto anlegen",
  haveOne: (signIn) => <>Schon ein Konto? {signIn("Anmelden")}</>,
};

export const accounts: typeof en = {
  title: "Konto",
  fields,
  done,
  you,
  identity,
  plan,
  ai,
  password,
  sessions,
  tokens,
  deletion,
  mailbox,
  codes,
  signIn,
  register,
};
