import type { overview as en } from "../en/overview.tsx";
import { counted, countText } from "../amounts.ts";

const requests = (count: number): string => counted(count, "Anfrage", "Anfragen");

export const overview: typeof en = {
  title: "Übersicht",
  done: {
    siteUrl: "Die Site URL ist gespeichert.",
    allowedOrigins: "Die erlaubten Ursprünge sind gespeichert.",
    formerKey: "Der alte Schlüssel wird ab jetzt abgelehnt.",
  },
  noCollections: {
    admin: (link) => (
      <>Es gibt noch keine Sammlungen. {link("Eine Sammlung anlegen")} für die ersten Dokumente.</>
    ),
    viewer: "Es gibt noch keine Sammlungen. Die erste legt ein Admin des Projekts an.",
  },
  keys: {
    title: "API-Schlüssel",
    about:
      "Ein geheimer Schlüssel wird nur einmal gezeigt, wenn er entsteht. Ein verlorener lässt " +
      "sich nur erneuern.",
    kinds: {
      publishable: {
        label: "Öffentlicher Schlüssel",
        use:
          "Für Browser und Apps; er darf bekannt sein. Was er darf, bestimmt der Zugriff jeder " +
          "Sammlung.",
        loss: "Jede Anwendung mit dem jetzigen öffentlichen Schlüssel wird sofort oder nach der " +
          "gewählten Zeit abgelehnt, bis sie den neuen hat.",
        rotate: "Öffentlichen Schlüssel erneuern",
        create: "Neuen öffentlichen Schlüssel anlegen",
        endOld: {
          ask: "Alten öffentlichen Schlüssel sperren",
          loss: "Was den alten öffentlichen Schlüssel noch benutzt, wird sofort abgelehnt.",
          now: "Alten öffentlichen Schlüssel jetzt sperren",
        },
      },
      secret: {
        label: "Geheimer Schlüssel",
        use: "Nur für Server: Er liest und ändert alles.",
        loss: "Jeder Server mit dem jetzigen geheimen Schlüssel wird sofort oder nach der " +
          "gewählten Zeit abgelehnt, bis er den neuen hat.",
        rotate: "Geheimen Schlüssel erneuern",
        create: "Neuen geheimen Schlüssel anlegen",
        endOld: {
          ask: "Alten geheimen Schlüssel sperren",
          loss: "Was den alten geheimen Schlüssel noch benutzt, wird sofort abgelehnt.",
          now: "Alten geheimen Schlüssel jetzt sperren",
        },
      },
    },
    made: (when) => <>angelegt {when}</>,
    oldValidUntil: (when) => <>Der alte Schlüssel gilt bis {when}.</>,
    newPublishable: {
      oldRefused: "Der öffentliche Schlüssel ist neu. Der bisherige wird abgelehnt.",
      oldWorksUntil: (when) => (
        <>Der öffentliche Schlüssel ist neu. Der bisherige gilt bis {when}.</>
      ),
    },
    newSecret: {
      label: "Neuer geheimer Schlüssel",
      oldRefused:
        "Er wird nur dieses eine Mal gezeigt: jetzt kopieren. Der bisherige wird abgelehnt.",
      oldWorksUntil: (when) => (
        <>
          Er wird nur dieses eine Mal gezeigt: jetzt kopieren. Der bisherige gilt bis {when}.
        </>
      ),
    },
    seenInBrowser: (origin, when) => (
      <>
        Der geheime Schlüssel wurde aus einem Browser verwendet, von einer Seite von {origin}:{" "}
        {when}. Wer diese Seite öffnet, kann den Schlüssel lesen. Dort den öffentlichen Schlüssel
        verwenden und den geheimen erneuern.
      </>
    ),
    grace: {
      label: "Der jetzige Schlüssel",
      hours: {
        0: "endet jetzt",
        1: "gilt noch eine Stunde",
        24: "gilt noch einen Tag",
        72: "gilt noch drei Tage",
      },
    },
  },
  addresses: {
    title: "Adressen",
    siteUrl: "Site URL",
    noSiteUrl: "noch keine",
    origins: "Erlaubte Ursprünge (Origins)",
    allOrigins: "alle",
    originsByLine: "Erlaubte Ursprünge (Origins), einer pro Zeile",
    originsHint:
      "Sind welche angegeben, dürfen Browser den öffentlichen Schlüssel nur auf diesen " +
      "Seiten und denen der Site URL verwenden.",
    saveOrigins: "Ursprünge speichern",
  },
  requests: {
    title: "Anfragen",
    failed: "Abgelehnte und fehlgeschlagene ansehen",
    asTables: "Als Tabellen",
    minutes: {
      title: "Letzte Stunde",
      ago: (count) => `vor ${counted(count, "Minute", "Minuten")}`,
      upTo: (count) => `bis zu ${countText(count)} pro Minute`,
    },
    days: {
      title: "Letzte 30 Tage",
      ago: (count) => `vor ${counted(count, "Tag", "Tagen")}`,
      upTo: (count) => `bis zu ${countText(count)} pro Tag`,
    },
    noneYet: "noch keine",
    now: "jetzt",
    sum: requests,
    sumWithFailed: (count, failed) =>
      `${requests(count)}, ${countText(failed)} abgelehnt oder fehlgeschlagen`,
    from: "Ab",
    refusedOrFailed: "Abgelehnt oder fehlgeschlagen",
    none: "Noch keine Anfragen: Unten stehen die ersten Aufrufe.",
  },
  snippets: {
    title: "Erste Aufrufe",
    putKey: (placeholder) => <>Statt {placeholder} den eigenen öffentlichen Schlüssel einsetzen.</>,
    needsCollection: "Ein Aufruf braucht eine Sammlung. Was sie enthält, wird auf der nächsten " +
      "Seite festgelegt.",
    create: (name) => `Sammlung ${name} anlegen`,
    tokenOf: (token, collection) => (
      <>
        {token} erhalten Benutzer bei der Anmeldung: {collection}{" "}
        können nur angemeldete Benutzer lesen.
      </>
    ),
    list: "Dokumente auflisten, in einer Shell",
    createDocument: "Ein Dokument anlegen, in JavaScript",
    signIn: "Anmelden, als Link auf der eigenen Seite",
  },
};
