import { keep, kept } from "./browser.ts";

/** Where an upload goes, and which file it becomes. */
export interface BegunUpload {
  readonly filePath: string;
  readonly resumableUrl: string;
}

const NAME = "corbel.uploads";
/** The oldest are forgotten: the server keeps what has arrived for a day. */
const KEPT_MAX = 20;

const all = (): [string, BegunUpload][] => JSON.parse(kept("localStorage", NAME) ?? "[]");

/** An upload that a page of this site has begun and not ended. */
export const keptUpload = (id: string): BegunUpload | null =>
  all().find(([known]) => known === id)?.[1] ?? null;

/** @param upload Null forgets it. */
export function keepUpload(id: string, upload: BegunUpload | null): void {
  const others = all().filter(([known]) => known !== id);
  const uploads = upload === null ? others : [[id, upload], ...others].slice(0, KEPT_MAX);
  keep("localStorage", NAME, uploads.length === 0 ? null : JSON.stringify(uploads));
}
