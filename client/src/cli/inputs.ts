import { decodeUtf8 } from "../../../lib/text/utf8.ts";
import { UsageError } from "./command.ts";

/** Reads what options name: files, and standard input once. */
export class Inputs {
  #isInputRead = false;

  /** What `@FILE` or `-` stands for; null for any other text. */
  async named(text: string): Promise<string | null> {
    if (text === "-") return await this.#input();
    return text.startsWith("@") ? await this.file(text.slice(1)) : null;
  }

  /** Throws {@linkcode UsageError} where it cannot be read. */
  async file(path: string): Promise<string> {
    if (path === "-") return await this.#input();
    try {
      return textOf(`"${path}"`, await Deno.readFile(path));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`"${path}" cannot be read: ${(error as Error).message}`);
    }
  }

  async #input(): Promise<string> {
    if (this.#isInputRead) throw new UsageError("Standard input (-) can be read only once.");
    this.#isInputRead = true;
    return textOf("Standard input", await new Response(Deno.stdin.readable).bytes());
  }
}

function textOf(what: string, bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    throw new UsageError(`${what} ${(error as Error).message}: save the text as UTF-8.`);
  }
}
