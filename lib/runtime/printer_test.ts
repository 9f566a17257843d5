import assert from "node:assert/strict";
import { createPrinter } from "./printer.ts";

/** Takes so many bytes at a time. */
function slowOutput(bytesAtOnce: number) {
  const taken: number[] = [];
  return {
    text: () => new TextDecoder().decode(new Uint8Array(taken)),
    writeSync(bytes: Uint8Array): number {
      const part = bytes.subarray(0, bytesAtOnce);
      taken.push(...part);
      return part.length;
    },
  };
}

Deno.test("all of a text is printed, however little is taken at once", () => {
  const output = slowOutput(3);
  const print = createPrinter(output);
  print("clé 🗝\n");
  print("two");
  assert.equal(output.text(), "clé 🗝\ntwo\n");
});

Deno.test("a log that nobody reads stops nothing, anything else that fails is told", () => {
  const failing = (error: Error) =>
    createPrinter({
      writeSync() {
        throw error;
      },
    });
  failing(new Deno.errors.BrokenPipe())("one");
  assert.throws(() => failing(new Deno.errors.BadResource())("one"), Deno.errors.BadResource);
});
