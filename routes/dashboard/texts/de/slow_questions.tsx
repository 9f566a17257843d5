import type { slowQuestions as en } from "../en/slow_questions.tsx";
import { countText } from "../amounts.ts";

export const slowQuestions: typeof en = {
  title: "Langsame Abfragen",
  about: (days) =>
    `Listen und Zählungen, die in den letzten ${days} Tagen lange gedauert haben; was insgesamt ` +
    "am längsten gedauert hat, steht zuerst. Abfragen, die sich nur in ihren Werten " +
    "unterscheiden, gelten als eine; Werte werden nicht gespeichert. Neue erscheinen innerhalb " +
    "einer Minute.",
  none: "Keine Liste oder Zählung war langsam.",
  done: {
    indexed: "Der Index ist angelegt. Die Zahlen der Sammlung beginnen von vorn.",
  },
  question: "Abfrage",
  timesAsked: "Anzahl",
  meanTime: "Mittlere Dauer",
  helpfulIndex: "Index, der helfen würde",
  tooSlow: (count) => `${countText(count)} zu langsam`,
  ms: (ms) => `${countText(ms)} ms`,
  p95: (time) => `95 von 100 in ${time}`,
  examined: {
    forEach: (count) => `${countText(count)} geprüft je Treffer`,
    forNone: (count) => `${countText(count)} geprüft, kein Treffer`,
  },
  order: {
    count: "Zählung",
    plain: (fields) => `nach ${fields}`,
    withTotal: (fields) => `nach ${fields}, mit Gesamtzahl`,
    withEstimate: (fields) => `nach ${fields}, mit geschätzter Gesamtzahl`,
  },
  conditions: {
    and: "und",
    or: "oder",
    not: (conditions) => `nicht (${conditions})`,
    asked: {
      in: (field) => `${field} ist eines von ?`,
      nin: (field) => `${field} ist keines von ?`,
      regex: (field) => `${field} passt auf ?`,
      exists: (field) => `${field} ist vorhanden oder nicht`,
    },
  },
  noAdvice: "keiner",
  full: (collection, indexes, link) => (
    <>{collection} hat {indexes} Indizes: zuerst {link("einen entfernen")}.</>
  ),
  addIndex: "Index anlegen",
};
