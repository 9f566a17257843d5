import type { FindCursor } from "mongodb";
import { bytesOf } from "../json_text.ts";
import type { Stored } from "../port.ts";
import { StoredText } from "../texts.ts";
import { documentJson } from "./bson_json/mod.ts";

/** Documents in reading order: all, or at least two that exceed the page's byte limit. */
export interface PageTexts {
  readonly texts: readonly string[];
  document(index: number): Uint8Array;
}

/** Reads the documents of a reply up to a byte limit. */
export function readBatch(
  documents: readonly Uint8Array[],
  bytesMax: number,
): PageTexts {
  const texts: string[] = [];
  let bytes = 0;
  for (const document of documents) {
    const { json } = documentJson(document);
    texts.push(json);
    bytes += bytesOf(json);
    if (bytes > bytesMax && texts.length > 1) break;
  }
  return { texts, document: (index) => documents[index]! };
}

/** Reads the documents of a raw cursor up to a byte limit, and closes the cursor. */
export async function readCursor(
  cursor: FindCursor,
  bytesMax: number,
): Promise<PageTexts> {
  const documents: Uint8Array[] = [];
  const texts: string[] = [];
  let bytes = 0;
  for await (const found of cursor) {
    const document = found as Uint8Array; // Raw cursors yield bytes.
    const { json } = documentJson(document);
    documents.push(document);
    texts.push(json);
    bytes += bytesOf(json);
    if (bytes > bytesMax && texts.length > 1) break;
  }
  return { texts, document: (index) => documents[index]! };
}

/** Whether texts exceed the byte limit of a page, so that its end is known. */
export const exceedPage = (texts: readonly string[], bytesMax: number): boolean =>
  texts.length > 1 && texts.reduce((sum, text) => sum + bytesOf(text), 0) > bytesMax;

/**
 * Returns the stored record of a document; null if there is none.
 *
 * @param document The document's bytes.
 */
export function toStored<T>(document: unknown): Stored<T> | null {
  if (document === null) return null;
  const { json, revision } = documentJson(document as Uint8Array);
  return new StoredText(json, revision);
}
