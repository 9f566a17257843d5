/** Where text goes: standard output, or standard error. */
export interface Output {
  /** Takes some of the bytes; returns how many. */
  writeSync(bytes: Uint8Array): number;
}

/**
 * Prints whole lines, at a fifth of what the console costs. That nobody reads them any longer is no
 * reason to stop.
 */
export function createPrinter(output: Output): (text: string) => void {
  const encoder = new TextEncoder();
  return (text) => {
    const bytes = encoder.encode(text.endsWith("\n") ? text : `${text}\n`);
    try {
      for (let at = 0; at < bytes.length;) at += output.writeSync(bytes.subarray(at));
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    }
  };
}
