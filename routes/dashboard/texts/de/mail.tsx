import type { mail as en } from "../en/mail.tsx";
import { countText } from "../amounts.ts";

export const mail: typeof en = {
  title: "E-Mail",
  kinds: {
    verify: "E-Mail-Adresse bestätigen",
    resetPassword: "Passwort zurücksetzen",
    code: "Mit einem Code anmelden",
    emailChange: "Neue E-Mail-Adresse bestätigen",
    emailChanged: "Eine E-Mail-Adresse wurde geändert",
    accountExists: "Ein Konto besteht schon",
    invitation: "Einladung",
    webhookFailed: "Ein Webhook kommt nicht an",
    limitReached: "Eine Grenze ist erreicht",
    custom: "Von der eigenen Anwendung",
  },
  states: {
    queued: "wartet",
    sent: "gesendet",
    failed: "fehlgeschlagen",
    kept: "aufbewahrt",
  },
  pages: "E-Mails",
  tabs: { mailbox: "Postfach", log: "Protokoll", templates: "Vorlagen", server: "Server" },
  log: {
    title: "E-Mail-Protokoll",
    about: (days) =>
      `E-Mails der letzten ${days} Tage. Was fehlschlägt, wird nach 1, 5, 15, 60 und 240 ` +
      "Minuten wiederholt.",
    none: "Noch keine E-Mail. Registrierungen, Codes und die eigene Anwendung senden welche.",
    kept: "E-Mails werden hier nicht gesendet, sondern für die Entwicklung aufbewahrt.",
    impossible:
      "Es kann keine E-Mail gesendet werden: Weder dieses Projekt noch dieser Server hat " +
      "einen E-Mail-Server.",
    setServer: "E-Mail-Server einrichten",
    mails: "E-Mails",
    to: "An",
    state: "Zustand",
    when: "Wann",
    byOwnServer: "über den eigenen Server",
    tried: (count) => `${countText(count)}-mal versucht`,
    sentAt: (when) => <>gesendet {when}</>,
    sendAgain: "Erneut senden",
    sendAgainTo: (to) => `Erneut an ${to} senden`,
    done: { again: "Die E-Mail ist wieder unterwegs." },
  },
  mailbox: {
    title: "Postfach",
    about: "E-Mails werden hier nicht gesendet, sondern für die Entwicklung aufbewahrt: Dies ist " +
      "alles, was gesendet worden wäre, das Neueste zuerst.",
    hint: "Nach einer Registrierung mit beliebiger Adresse oder nach dem Senden mit dem geheimen " +
      "Schlüssel erscheint sie hier.",
    none: (hint) => `Noch keine E-Mail. ${hint}`,
    head: (kind, to, when) => <>{kind} · an {to} · {when}</>,
    text: "Text",
    asHtml: "Als HTML",
    htmlOf: (to) => `HTML der E-Mail an ${to}`,
  },
  server: {
    title: "E-Mail-Server",
    done: {
      saved: "Der E-Mail-Server ist gespeichert. Ein Test zeigt, ob er E-Mails annimmt.",
      language: "Die Sprache ist gespeichert.",
      cleared: "Der E-Mail-Server ist getrennt.",
    },
  },
  sender: {
    title: "Wer sendet",
    own: "eigener Server",
    sent: "dieser Server",
    kept: "niemand",
    impossible: "niemand",
    ofMonth: "E-Mails in diesem Monat",
    aboutOwn: (host) =>
      `E-Mails gehen über ${host}, so viele dieser Server annimmt. Vorlagen, Registrierung und ` +
      "die eigene Anwendung nutzen ihn alle.",
    about: {
      sent: "E-Mails gehen über den E-Mail-Server der Betreiber von Corbel, bis zur Grenze des " +
        "Tarifs im Monat. E-Mails der Anmeldung zählen mit, werden deswegen aber nie abgelehnt.",
      kept:
        "E-Mails werden für die Entwicklung aufbewahrt und nicht gesendet. Ein eigener Server " +
        "sendet sie.",
      impossible: "Es kann keine E-Mail gesendet werden: Weder dieses Projekt noch die Betreiber " +
        "von Corbel haben einen E-Mail-Server eingerichtet.",
    },
  },
  ownServer: {
    title: "Eigener Server",
    none: "Keiner.",
    server: "Server",
    host: "Host",
    port: "Port",
    where: "Host und Port prüfen; Benutzer und Passwort entweder beide angeben oder keines.",
    encryption: "Verschlüsselung",
    startTls: "STARTTLS, meist Port 587",
    tls: "TLS, meist Port 465",
    user: "Benutzer",
    password: "Passwort",
    passwordStored: "gespeichert",
    noPassword: "keines",
    keep: "gespeichert; leer lassen zum Behalten",
    from: "Von",
    fromSample: "Blog <blog@example.com>",
    replyTo: "Antworten an",
    theSender: "den Absender",
    save: "Server speichern",
    test: (to) => `Test an ${to} senden`,
    tested: (to, answer) => `Der Server hat eine E-Mail an ${to} angenommen. Antwort: ${answer}`,
    disconnect: "Trennen",
    disconnectLoss:
      "E-Mails, die auf diesen Server warten, schlagen fehl. Adresse und Passwort gehen " +
      "verloren.",
    disconnectNow: "Server trennen",
  },
  language: {
    title: "Sprache",
    about: "Für E-Mails an alle, die keine Sprache wünschen, in der es eine Vorlage gibt. Die " +
      "eigenen Texte von Corbel sind englisch.",
    ofMails: "Sprache der E-Mails",
    hint: "Wie en oder pt-BR; leer für Englisch.",
    save: "Sprache speichern",
    english: "Englisch",
  },
  templates: {
    title: "E-Mail-Vorlagen",
    about:
      "Was in E-Mails steht. Corbel hat eigene Texte, auf Englisch; eine eigene Vorlage tritt " +
      "an ihre Stelle, in jeder Sprache, in der es eine gibt.",
    ofCorbel: "E-Mails, die Corbel sendet",
    ofApplication: "Vorlagen der eigenen Anwendung",
    named: () => (
      <>
        Der eigene Server nennt eine als <code>templateName</code>, wenn er eine E-Mail sendet.
      </>
    ),
    none: "Noch keine.",
    builtIn: "Text von Corbel",
    builtInOf: (kind) => `${kind}, Text von Corbel`,
    done: { deleted: "Die Vorlage ist gelöscht: Die Texte von Corbel gelten wieder." },
    create: {
      title: "Neue Vorlage",
      name: "Name",
      nameHint: "Einer der Namen oben für eine weitere Sprache oder ein eigener Name.",
      badName: "Ein Name hat 1 bis 50 Buchstaben, Ziffern und - und beginnt mit einem " +
        "Kleinbuchstaben.",
      language: "Sprache",
      badLanguage: "Die Sprache muss eine wie en oder pt-BR sein.",
      write: "Schreiben",
    },
  },
  template: {
    own: "eigene",
    builtIn: "Text von Corbel",
    filledIn: (variables) => <>Eingesetzt werden: {variables}</>,
    filledInByServer: () => (
      <>
        <code>{"{{name}}"}</code> wird aus den <code>variables</code>{" "}
        eingesetzt, die der eigene Server sendet.
      </>
    ),
    subject: "Betreff",
    text: "Text",
    textHint: "Für E-Mail-Programme ohne HTML. Leer gelassen, entsteht er aus dem HTML.",
    html: "HTML",
    save: "Vorlage speichern",
    preview: "Vorschau",
    delete: "Diese Vorlage löschen",
    deleteLoss: "Ihr Inhalt geht verloren. Wo Corbel einen eigenen Text hat, wird wieder dieser " +
      "gesendet.",
    deleteNow: "Vorlage löschen",
    done: { saved: "Die Vorlage ist gespeichert." },
  },
  preview: {
    title: "Vorschau",
    html: "HTML der E-Mail",
    text: "Text",
    asText: "Als Text",
    none: "Keine Vorschau",
  },
};
