import { ANSWER_BYTES_MAX, ANSWER_READ_BYTES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { bytesOf } from "../store/json_text.ts";

const READ_TOO_MUCH = `The documents have more than ${ANSWER_READ_BYTES_MAX / 1_048_576} MiB ` +
  "together: ask for fewer rows.";

/** Counts the bytes of one answer and the bytes that are read to make it. */
export class AnswerSize {
  #sentBytes = 0;
  #readBytes = 0;

  /** Throws `ANSWER_TOO_LARGE`. Called before the text is built. */
  addSent(bytes: number): void {
    this.#sentBytes += bytes;
    if (this.#sentBytes > ANSWER_BYTES_MAX) throw new Problem("ANSWER_TOO_LARGE");
  }

  /** Throws `ANSWER_TOO_LARGE`. Called before the text is parsed. */
  addRead(text: string): void {
    this.#readBytes += bytesOf(text);
    if (this.#readBytes > ANSWER_READ_BYTES_MAX) {
      throw new Problem("ANSWER_TOO_LARGE", { message: READ_TOO_MUCH });
    }
  }
}
