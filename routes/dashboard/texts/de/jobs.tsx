import type { jobs as en } from "../en/jobs.tsx";
import { countText } from "../amounts.ts";

export const jobs: typeof en = {
  title: "Aufgaben",
  about: "Was aus einer Änderung folgt und im Hintergrund erledigt wird. Eine Aufgabe, die " +
    "fehlschlägt, wird von selbst wiederholt, mit immer längeren Pausen.",
  none: "Es ist nichts zu erledigen.",
  more: (count) => `und ${countText(count)} weitere.`,
  job: "Aufgabe",
  tries: "Versuche",
  nextTry: "Nächster Versuch",
  since: (when) => <>seit {when}</>,
  running: "läuft gerade",
  tryNow: "Jetzt versuchen",
  kinds: {
    removeObjects: "Bytes einer Datei entfernen",
    removeCollection: "Dokumente einer gelöschten Sammlung entfernen",
  },
  done: {
    done: "Die Aufgabe ist erledigt.",
    waiting: "Die Aufgabe ist noch nicht erledigt: Sie wird später wiederholt.",
  },
};
