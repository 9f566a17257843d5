import { counted, countText } from "../amounts.ts";
import type { requests as en } from "../en/requests.tsx";

export const requests: typeof en = {
  title: "Anfragen",
  about: (days) =>
    `Anfragen an die API in den letzten ${days} Tagen, die abgelehnt wurden oder fehlschlugen. ` +
    "Inhalte, Schlüssel, Queries und Adressen werden nicht aufbewahrt.",
  none: "Keine Anfrage wurde abgelehnt oder schlug fehl.",
  noMatch: "Keine aufbewahrte Anfrage passt dazu.",
  pages: "Anfragen",
  callers: {
    publishable: "Öffentlicher Schlüssel",
    secret: "Geheimer Schlüssel",
    account: "Mitglied, angemeldet",
    accountToken: "Persönliches Zugriffstoken",
  },
  recording: {
    until: (when) => <>Alle Anfragen werden aufgelistet bis {when}.</>,
    all: (minutes) => `Alle Anfragen ${counted(minutes, "Minute", "Minuten")} lang auflisten`,
    failed: "Nur abgelehnte und fehlgeschlagene auflisten",
  },
  filters: {
    operation: "Operation",
    status: "Status",
    anyStatus: "Alle",
    statuses: {
      "4xx": "Abgelehnt (4xx)",
      "5xx": "Fehlgeschlagen (5xx)",
      "2xx": "Gelungen (2xx)",
    },
    problem: "Problem",
    caller: "Aufrufer",
    anyCaller: "Alle",
    when: "Wann",
    anyTime: "Beliebig",
    within: {
      hour: "Die letzte Stunde",
      day: "Die letzten 24 Stunden",
    },
    filter: "Filtern",
    showAll: "Alle anzeigen",
  },
  table: {
    operation: "Operation",
    noOperation: "keine Operation",
    status: "Status",
    caller: "Aufrufer",
    time: "Dauer",
    ms: (ms) => `${countText(ms)} ms`,
    when: "Wann",
    leftOut: (count) => `${countText(count)} weitere in dieser Sekunde`,
  },
};
