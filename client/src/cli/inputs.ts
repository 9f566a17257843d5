import { decodeUtf8 } from "../../../lib/text/utf8.ts";
import { UsageError } from "./command.ts";

/** Reads what options name: files, and standard input once. */
export class Inputs {
  #isInputRead = false;

  /** Resolves to the content of `@FILE` or `-`; null for any other text. */
  async readNamed(text: string): Promise<string | null> {
    if (text === "-") return await this.#input();
    return text.startsWith("@") ? await this.file(text.slice(1)) : null;
  }

  /** Resolves to the text of a file. Throws {@linkcode UsageError} if it cannot be read. */
  async file(path: string): Promise<string> {
    if (path === "-") return await this.#input();
    try {
      return decodeText(`"${path}"`, await Deno.readFile(path));
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`"${path}" cannot be read: ${(error as Error).message}`);
    }
  }

  async #input(): Promise<string> {
    if (this.#isInputRead) throw new UsageError("Standard input (-) can be read only once.");
    this.#isInputRead = true;
    return decodeText("Standard input", await new Response(Deno.stdin.readable).bytes());
  }
}

function decodeText(source: string, bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes);
  } catch (error) {
    throw new UsageError(`${source} ${(error as Error).message}: save the text as UTF-8.`);
  }
}
