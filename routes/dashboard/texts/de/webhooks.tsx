import type { webhooks as en } from "../en/webhooks.tsx";
import { countText } from "../amounts.ts";

export const webhooks: typeof en = {
  title: "Webhooks",
  events: {
    created: "angelegt",
    changed: "geändert",
    deleted: "gelöscht",
    recovered: "wiederhergestellt",
    signedIn: "zum ersten Mal angemeldet",
  },
  states: {
    queued: "wartet",
    delivered: "zugestellt",
    failed: "fehlgeschlagen",
  },
  list: {
    about: "Eigene Adressen, die erfahren, was sich in diesem Projekt ändert.",
    none: "Noch kein Webhook.",
    create: "Neuer Webhook",
    pages: "Webhooks",
    name: "Name",
    state: "Zustand",
    eventsOf: "Erfährt von",
    on: "an",
    off: "aus",
    done: { deleted: "Der Webhook ist gelöscht." },
  },
  form: {
    name: "Name",
    address: "Adresse",
    enabled: "Nachrichten werden gesendet",
    create: "Webhook anlegen",
    save: "Webhook speichern",
  },
  created: {
    secret: "Geheimnis",
    once: "Damit werden Nachrichten signiert. Es wird nur dieses eine Mal angezeigt.",
    goOn: "Weiter zum Webhook",
  },
  webhook: {
    notifications: "Was er erfährt",
    address: "Adresse",
    messages: "Nachrichten",
    sent: "werden gesendet",
    notSent: "werden nicht gesendet",
    switchedOff: (reason) => `Der Webhook wurde abgeschaltet. ${reason}`,
    test: "Test senden",
    tested: (status, ms, answer) => `Antwort ${status} nach ${countText(ms)} ms: ${answer}`,
    noAnswer: (error) => `Keine Antwort: ${error}.`,
    rotate: "Geheimnis erneuern",
    rotateLoss: (hours) =>
      `${hours} Stunden lang werden Nachrichten mit beiden signiert. Ein Geheimnis vor dem ` +
      "jetzigen gilt sofort nicht mehr.",
    delete: "Löschen",
    deleteLoss: "Was noch auf Zustellung wartet, wird nicht mehr gesendet. Das Geheimnis und die " +
      "Nachrichten gehen verloren.",
    deleteNow: "Webhook löschen",
    done: {
      saved: "Der Webhook ist gespeichert.",
      again: "Die Nachricht ist wieder unterwegs.",
      since: "Die Nachrichten sind wieder unterwegs.",
    },
    someAgain: (count) =>
      `${count} Nachrichten sind wieder unterwegs. Es gibt weitere: auch die seit der unten ` +
      "genannten Zeit senden.",
  },
  messages: {
    title: "Nachrichten",
    about: (days) => `Die der letzten ${days} Tage.`,
    none: "Noch keine Nachricht.",
    pages: "Nachrichten",
    since: "Alle erneut senden seit",
    sendAll: "Alle erneut senden",
    message: "Nachricht",
    state: "Zustand",
    when: "Wann",
    answered: (status) => `Antwort ${status}`,
  },
  message: {
    all: "Alle Nachrichten des Webhooks",
    state: "Zustand",
    tried: "Versucht",
    times: (count) => `${countText(count)}-mal`,
    answered: "Beantwortet",
    answeredAfter: (status, ms) => `${status} nach ${countText(ms)} ms`,
    notYet: "noch nicht",
    written: "Geschrieben",
    nextTry: "Nächster Versuch",
    request: "Anfrage",
    noBody:
      "Was gesendet wurde, ist nicht mehr aufbewahrt und kann nicht noch einmal gesendet werden.",
    timestamp: "die Sekunde jedes Versuchs",
    signature: "aus allen dreien: id, timestamp und body",
    answer: "Antwort",
    noAnswer: "Keine.",
    sendAgain: "Erneut senden",
  },
};
