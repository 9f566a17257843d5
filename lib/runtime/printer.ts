/** Standard output or standard error. */
export interface Output {
  /** Writes some of the bytes and returns how many. */
  writeSync(bytes: Uint8Array): number;
}

/** Prints lines faster than the console. Drops text if the reader has closed the pipe. */
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
