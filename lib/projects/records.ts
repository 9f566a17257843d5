import type { Definition, StoredRecord } from "../store/port.ts";

export type ProjectRecord = StoredRecord & {
  name: string;
  /** Origin of the project's front end; null until it is set. */
  siteUrl: string | null;
  /** If any are listed, publishable keys work from these origins only. */
  allowedOrigins: string[];
  createdAt: string;
};

/** In the control space. */
export const PROJECTS: Definition = {
  name: "projects",
  fields: {
    name: { type: "String" },
    siteUrl: { type: "String" },
    createdAt: { type: "Date" },
  },
  indexes: [],
  trash: false,
};
