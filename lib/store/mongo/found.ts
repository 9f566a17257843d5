import type { FindCursor } from "mongodb";
import { bytesOf } from "../json_text.ts";
import type { Stored } from "../port.ts";
import { StoredText } from "../texts.ts";
import { documentJson } from "./bson_json/mod.ts";

/**
 * Documents in the order of reading: all, or so many that their texts are more than was wanted; two
 * at least, because the first of a page is given in any case.
 */
export interface Found {
  readonly texts: readonly string[];
  /** The bytes of one of them. */
  document(index: number): Uint8Array;
}

/** Those of a reply. */
export function inReply(documents: readonly Uint8Array[], bytesMax: number): Found {
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

/** Those of a cursor that was opened for raw documents, and ends with this. */
export async function inReplies(cursor: FindCursor, bytesMax: number): Promise<Found> {
  const documents: Uint8Array[] = [];
  const texts: string[] = [];
  let bytes = 0;
  for await (const found of cursor) {
    const document = found as Uint8Array; // Bytes, because it is raw.
    const { json } = documentJson(document);
    documents.push(document);
    texts.push(json);
    bytes += bytesOf(json);
    if (bytes > bytesMax && texts.length > 1) break;
  }
  return { texts, document: (index) => documents[index]! };
}

/** Whether these texts are enough to tell where a page ends that may hold so many bytes. */
export const areEnough = (texts: readonly string[], bytesMax: number): boolean =>
  texts.length > 1 && texts.reduce((sum, text) => sum + bytesOf(text), 0) > bytesMax;

/** A record as it was read; null where none was. @param document Bytes, as every reader asks for. */
export function storedOf<T>(document: unknown): Stored<T> | null {
  if (document === null) return null;
  const { json, revision } = documentJson(document as Uint8Array);
  return new StoredText(json, revision);
}
