import { jsonText } from "../store/json_text.ts";
import type { Json } from "../store/port.ts";

/** Random, so that a client cannot send it. */
const MARK = crypto.randomUUID();
const MARKS = new RegExp(`"${MARK}(\\d+)"`, "g");

/** Embeds JSON texts in values without parsing them. A text may be embedded several times. */
export class EmbeddedTexts {
  readonly #texts: string[] = [];

  /** Returns the placeholder for the text. */
  add(text: string): string {
    return `${MARK}${this.#texts.push(text) - 1}`;
  }

  /** Returns the JSON text of a value in which the texts replace their placeholders. */
  write(value: Json): string {
    return jsonText(value).replace(MARKS, (_, index: string) => this.#texts[Number(index)]!);
  }
}

/** Whether a value is a placeholder, whose members cannot be read. */
export const isEmbedded = (value: Json): boolean =>
  typeof value === "string" && value.startsWith(MARK);
