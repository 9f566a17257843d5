import type { shared as en } from "../en/shared.tsx";

export const shared: typeof en = {
  copy: "Kopieren",
  delete: "Löschen",
  save: "Speichern",
  on: "an",
  off: "aus",
  roles: { viewer: "Betrachter", admin: "Admin", owner: "Eigentümer" },
  plan: (name) => `Tarif ${name}`,
  heldForUploads: (size) => `${size} sind für laufende Uploads reserviert.`,
};
