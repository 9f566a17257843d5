import { jsonText } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";

/** Nobody can send it, because nobody can know it. */
const MARK = crypto.randomUUID();
const MARKS = new RegExp(`"${MARK}(\\d+)"`, "g");

/** JSON texts that stand within values as they are, however often, without being parsed. */
export class EmbeddedTexts {
  readonly #texts: string[] = [];

  /** What to put into a value in the place of the text. */
  add(text: string): string {
    return `${MARK}${this.#texts.push(text) - 1}`;
  }

  /** The JSON text of a value, with all texts in their places. */
  write(value: Json): string {
    return jsonText(value).replace(MARKS, (_, index: string) => this.#texts[Number(index)]!);
  }
}

/** Whether a value is such a text: its members cannot be read. */
export const isEmbedded = (value: Json): boolean =>
  typeof value === "string" && value.startsWith(MARK);
