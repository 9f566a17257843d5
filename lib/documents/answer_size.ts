import { ANSWER_BYTES_MAX, ANSWER_READ_BYTES_MAX } from "../limits.ts";
import { Problem } from "../problems.ts";
import { bytesOf } from "../store/json_text.ts";

const READ_TOO_MUCH = `The documents have more than ${ANSWER_READ_BYTES_MAX / 1_048_576} MiB ` +
  "together: ask for fewer rows.";

/** Counts what one answer shows, and what is read for it. Throws `ANSWER_TOO_LARGE`. */
export class AnswerSize {
  #shown = 0;
  #read = 0;

  /** Adds what will be shown: called before its text is made, where the size is known. */
  show(bytes: number): void {
    this.#shown += bytes;
    if (this.#shown > ANSWER_BYTES_MAX) throw new Problem("ANSWER_TOO_LARGE");
  }

  /** Adds documents that are parsed: called before they are. */
  read(text: string): void {
    this.#read += bytesOf(text);
    if (this.#read > ANSWER_READ_BYTES_MAX) {
      throw new Problem("ANSWER_TOO_LARGE", { message: READ_TOO_MUCH });
    }
  }
}
