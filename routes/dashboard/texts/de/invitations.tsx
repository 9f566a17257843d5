import type { invitations as en } from "../en/invitations.tsx";

export const invitations: typeof en = {
  title: "Einladung",
  takeOver: (project) => `${project} übernehmen`,
  join: (project) => `Mitglied von ${project} werden`,
  about: {
    viewer: (who) => `${who} lädt in dieses Projekt ein. Betrachter lesen darin alles.`,
    admin: (who) =>
      `${who} lädt in dieses Projekt ein. Admins ändern darin alles, nur nicht, wem es gehört.`,
    owner: (who) =>
      `${who} bietet dieses Projekt an. Nach der Annahme gehört es dem eigenen Konto: Dessen ` +
      "Tarif gilt dafür, und nur dieses Konto kann es löschen oder weitergeben. Der bisherige " +
      "Eigentümer bleibt als Admin dabei.",
  },
  invitedAs: "Eingeladen als",
  signedInAs: "Angemeldet als",
  validUntil: "Gültig bis",
  otherAccount: "Um sie mit einem anderen Konto anzunehmen: abmelden und den Link noch einmal " +
    "öffnen.",
  accept: "Annehmen",
  decline: {
    label: "Ablehnen",
    loss: "Der Link gilt dann nicht mehr. Wer es sich anders überlegt, braucht einen neuen.",
    submit: "Einladung ablehnen",
  },
};
