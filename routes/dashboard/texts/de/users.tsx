import type { users as en } from "../en/users.tsx";

const list: typeof en.list = {
  title: "Benutzer",
  searchLabel: "E-Mail enthält",
  searchHint: "E-Mail",
  search: "Suchen",
  create: "Neuer Benutzer",
  noMatch: "Kein Benutzer hat eine E-Mail-Adresse, die diesen Text enthält.",
  showAll: "Alle Benutzer anzeigen",
  noMore: "Es gibt keine weiteren Benutzer.",
  none: (signIn) => (
    <>
      Bisher hat sich niemand angemeldet. Benutzer kommen von selbst, per E-Mail oder über einen
      Anbieter: {signIn("eingeschaltete Wege ansehen")}.
    </>
  ),
  noneForAdmin: (signIn) => (
    <>
      Bisher hat sich niemand angemeldet. Benutzer kommen von selbst, per E-Mail oder über einen
      Anbieter: {signIn("Anmeldung einrichten")}.
    </>
  ),
  pages: "Seiten",
  firstPage: "Erste Seite",
  nextPage: "Nächste Seite",
  user: "Benutzer",
  done: { deleted: "Der Benutzer ist gelöscht." },
};

const profile: typeof en.profile = {
  title: "Profil",
  none: "keine Angabe",
  id: "ID",
  email: "E-Mail",
  verified: "bestätigt",
  notVerified: "nicht bestätigt",
  name: "Name",
  username: "Benutzername",
  picture: "Bild",
  signsInBy: "Meldet sich an mit",
  ways: {
    password: "Passwort",
    session: "nichts: Es gibt nur die laufende Sitzung",
    none: "nichts",
    code: "einem Code, wenn Codes eingeschaltet sind",
  },
  roles: "Rollen",
  noRoles: "keine",
  claims: "Claims",
  lastSignIn: "Letzte Anmeldung",
  never: "nie",
  since: "Seit",
  disabled: "gesperrt",
  anonymous: "anonym",
};

const sessions: typeof en.sessions = {
  title: "Sitzungen",
  none: "Nirgends angemeldet.",
  noMore: "Es gibt keine weiteren Sitzungen.",
  more: "Weitere Sitzungen",
  used: (when, since) => <>benutzt {when} · seit {since}</>,
  usedFrom: (network, when, since) => <>Netz {network} · benutzt {when} · seit {since}</>,
  end: "Beenden",
  endLoss: "Der Benutzer wird auf diesem Gerät abgemeldet und kann sich wieder anmelden.",
  endNow: "Diese Sitzung beenden",
  endAll: "Alle Sitzungen beenden",
  endAllLoss: "Der Benutzer wird auf allen Geräten abgemeldet und kann sich wieder anmelden.",
  endAllNow: "Alle beenden",
};

const testToken: typeof en.testToken = {
  title: "Test-Token",
  about: (minutes) =>
    "Ein Zugriffstoken dieses Benutzers, um Aufrufe in dessen Namen auszuprobieren. Es gilt " +
    `${minutes} Minuten und öffnet eine Sitzung, die mit ihm endet oder oben durch „Beenden“.`,
  create: "Test-Token erzeugen",
  another: "Noch eines erzeugen",
  done: (minutes) => `Es gilt ${minutes} Minuten und wird nur dieses eine Mal gezeigt.`,
  token: "Zugriffstoken",
  curl: "Das eigene Profil des Benutzers, mit curl",
};

const access: typeof en.access = {
  title: "Zugang",
  about: "Ein gesperrter Benutzer kann sich erst wieder anmelden, wenn er entsperrt ist. " +
    "Dokumente bleiben, wie sie sind.",
  enable: "Benutzer entsperren",
  disable: "Benutzer sperren",
  disableLoss:
    "Alle Sitzungen enden sofort, und auf keinem Weg kann sich der Benutzer mehr anmelden.",
  disableNow: "Sperren",
  delete: "Benutzer löschen",
  deleteLoss:
    "Profil, alle Sitzungen und die Verknüpfungen mit Anbietern gehen endgültig verloren. " +
    "Dokumente bleiben, ohne Eigentümer: Wer sich als dieselbe Person anmeldet, ist ein neuer " +
    "Benutzer.",
  deleteNow: "Endgültig löschen",
};

const form: typeof en.form = {
  create: "Neuer Benutzer",
  noMail: "Niemand erfährt davon: Es wird keine E-Mail gesendet.",
  endsSessions:
    "Eine andere E-Mail-Adresse und ein anderes Passwort beenden alle Sitzungen dieses " +
    "Benutzers.",
  createNow: "Benutzer anlegen",
  save: "Benutzer speichern",
  back: "Zurück",
  declared: "Felder dieses Projekts",
  email: "E-Mail",
  verified: "Bestätigt",
  verifiedHint: "bis es eine andere ist",
  password: "Passwort",
  passwordHint: (min) => `ab ${min} Zeichen`,
  passwordKeep: "gesetzt; leer lassen zum Behalten",
  noPassword: "keines",
  name: "Name",
  username: "Benutzername",
  usernameHint: "Buchstaben, Ziffern, _.-",
  picture: "Bild",
  pictureHint: "eine https-Adresse",
  roles: "Rollen",
  rolesHint: "Wörter",
  rolesSample: "redaktion lektorat",
  claims: "Claims",
  claimsHint: "ein Objekt, als JSON",
};

const fields: typeof en.fields = {
  tab: "Felder",
  title: "Felder der Benutzer",
  about: "Was dieses Projekt von jedem Benutzer speichert, neben E-Mail, Name, Benutzername und " +
    "Bild. Benutzer setzen diese Felder bei der Registrierung und später in ihrem Profil. Ein " +
    "öffentliches sehen alle; jedes andere sehen nur der Benutzer und die Mitglieder des Projekts.",
  fields: "Felder",
  none: "Keine Felder festgelegt.",
  rules: "Nach einem erforderlichen Feld wird ab jetzt bei der Registrierung per E-Mail gefragt. " +
    "Was in entfernten Feldern gespeichert ist, bleibt, ohne sichtbar zu sein.",
  add: "Feld hinzufügen",
  save: "Felder speichern",
  done: { saved: "Die Felder sind gespeichert." },
};

export const users: typeof en = {
  list,
  done: {
    created: "Der Benutzer ist angelegt.",
    changed: "Der Benutzer ist gespeichert.",
    disabled: "Der Benutzer ist gesperrt und überall abgemeldet.",
    enabled: "Der Benutzer kann sich wieder anmelden.",
    ended: "Alle Sitzungen sind beendet.",
    "session-ended": "Die Sitzung ist beendet.",
  },
  edit: "Bearbeiten",
  all: "Alle Benutzer",
  profile,
  sessions,
  testToken,
  access,
  form,
  fields,
};
