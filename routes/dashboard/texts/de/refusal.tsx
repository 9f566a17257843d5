import type { refusal as en } from "../en/refusal.tsx";

export const refusal: typeof en = {
  titles: {
    COLLECTION_NOT_FOUND: "Nicht gefunden",
    FILE_NOT_FOUND: "Nicht gefunden",
    INVITATION_NOT_FOUND: "Ungültige Einladung",
    PROJECT_NOT_FOUND: "Nicht gefunden",
    ROUTE_NOT_FOUND: "Nicht gefunden",
    ROLE_REQUIRED: "Keine Berechtigung",
  },
  wrong: "Etwas ist schiefgegangen",
  refused: "Abgelehnt",
  reference: (code, requestId) => `${code}, Anfrage ${requestId}`,
  bare: "Die Seite ohne ihre Query öffnen",
  toProjects: "Zu den Projekten",
  signedOut: "Abgemeldet",
  ended: "Die Sitzung ist beendet, und das Gesendete ist nicht gespeichert.",
  unsaved: (signIn) => (
    <>
      Die Sitzung ist beendet, und dies ist nicht gespeichert. In einem anderen Tab{" "}
      {signIn("anmelden")}, dann hierher zurückkommen und noch einmal senden: Alle Eingaben sind
      noch da.
    </>
  ),
  reload: (signIn) => (
    <>
      Damit nichts verloren geht: in einem anderen Tab{" "}
      {signIn("anmelden")}, dann diese Seite neu laden. Der Browser sendet alles noch einmal.
    </>
  ),
  here: (signIn) => <>Oder {signIn("hier anmelden")} und neu beginnen.</>,
};
