import { readStored, store } from "./browser.ts";

export interface BegunUpload {
  readonly filePath: string;
  readonly resumableUrl: string;
}

const NAME = "corbel.uploads";
/** Number of stored uploads. The oldest are removed; the server keeps their bytes for a day. */
const KEPT_MAX = 20;

const readAll = (): [string, BegunUpload][] => JSON.parse(readStored("localStorage", NAME) ?? "[]");

/** Returns an unfinished upload that a page of this site began; null if there is none. */
export const findBegunUpload = (id: string): BegunUpload | null =>
  readAll().find(([known]) => known === id)?.[1] ?? null;

/** Stores an unfinished upload. @param upload Null removes it. */
export function storeBegunUpload(id: string, upload: BegunUpload | null): void {
  const others = readAll().filter(([known]) => known !== id);
  const uploads = upload === null ? others : [[id, upload], ...others].slice(0, KEPT_MAX);
  store("localStorage", NAME, uploads.length === 0 ? null : JSON.stringify(uploads));
}
