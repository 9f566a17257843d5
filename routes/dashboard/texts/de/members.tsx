import { counted } from "../amounts.ts";
import type { members as en } from "../en/members.tsx";

export const members: typeof en = {
  title: "Mitglieder",
  done: {
    role: "Die Rolle ist geändert.",
    removed: "Das Mitglied ist entfernt.",
    withdrawn: "Die Einladung ist zurückgezogen: Ihr Link gilt nicht mehr.",
  },
  list: {
    title: "Mitglieder dieses Projekts",
    alone: "Bisher ist außer diesem Konto niemand dabei.",
    aloneAsAdmin:
      "Bisher ist außer diesem Konto niemand dabei: Mitglieder lassen sich unten einladen.",
    paged: "Mitglieder",
    you: "dieses Konto",
    since: (when) => <>seit {when}</>,
    sinceInvited: (when, email) => <>seit {when}, eingeladen als {email}</>,
  },
  role: {
    of: (email) => `Rolle von ${email}`,
    change: "Rolle ändern",
    changeOf: (email) => `Rolle von ${email} ändern`,
  },
  offer: {
    label: "Eigentum anbieten",
    loss: (email) =>
      `Nimmt ${email} an, gehört das Projekt diesem Konto: Dessen Tarif gilt dafür, und nur noch ` +
      "dieses Konto kann es löschen oder weitergeben. Das eigene bleibt Admin, und zurücknehmen " +
      "lässt sich das nicht. Bis dahin ändert sich nichts, und das Angebot lässt sich zurückziehen.",
    submit: (email) => `Projekt ${email} anbieten`,
  },
  leave: {
    label: "Verlassen",
    loss: "Von diesem Projekt ist dann nichts mehr zu sehen, bis eine neue Einladung kommt.",
    submit: "Projekt verlassen",
  },
  remove: {
    label: "Entfernen",
    loss: (email) =>
      `${email} sieht dann nichts mehr von diesem Projekt. Bereits bekannte API-Schlüssel gelten ` +
      "weiter: Sie lassen sich in der Übersicht erneuern.",
    submit: (email) => `${email} entfernen`,
  },
  open: {
    title: "Offene Einladungen",
    valid: (since, until) => <>seit {since}, bis {until}</>,
    withdraw: "Zurückziehen",
    loss: "Der Link gilt dann nicht mehr. Wer wieder eingeladen werden soll, braucht einen neuen.",
    submit: (email) => `Einladung von ${email} zurückziehen`,
  },
  invite: {
    title: "Einladen",
    aboutMailed: "Ein Link kommt per E-Mail an die Adresse und wird auch hier gezeigt. Wer ihn " +
      "angemeldet annimmt, ist Mitglied.",
    aboutLink:
      "Hier wird ein Link zum Weitergeben gezeigt; es wird keine E-Mail gesendet. Wer ihn " +
      "angemeldet annimmt, ist Mitglied.",
    email: "E-Mail",
    role: "Rolle",
    viewer: "Betrachter, liest alles",
    admin: "Admin, ändert auch alles",
    submit: "Einladen",
  },
  link: {
    label: (email) => `Link für ${email}`,
    mailed:
      "Eine E-Mail mit dem Link ist an diese Adresse unterwegs. Er wird nur dieses eine Mal " +
      "gezeigt: jetzt kopieren, falls er auch selbst weitergegeben werden soll.",
    notMailed: "Es wird keine E-Mail gesendet. Der Link wird nur dieses eine Mal gezeigt: jetzt " +
      "kopieren und selbst weitergeben.",
    toOwner: "Mit der Annahme geht das Projekt an das andere Konto über; bis dahin ändert sich " +
      "nichts.",
    toMember: "Wer ihn hat und annimmt, wird Mitglied, gleich mit welchem Konto.",
    once: (days) => `Er gilt einmal, ${counted(days, "Tag", "Tage")} lang.`,
  },
  roles: {
    title: "Was jede Rolle darf",
    what: "Was",
    yes: "ja",
    no: "nein",
    deeds: {
      read: "Dokumente, Benutzer, Dateien und Einstellungen ansehen",
      write: "Dokumente, Benutzer und Dateien ändern",
      manage: "Sammlungen, Anmeldung und Adressen ändern, API-Schlüssel erneuern, KI verwenden",
      invite: "Mitglieder einladen und entfernen, ihre Rollen ändern",
      own: "Das Projekt löschen, es einem anderen Mitglied anbieten",
    },
  },
};
