import assert from "node:assert/strict";
import { createPrinter } from "./printer.ts";

/** Returns an output that writes a limited number of bytes at a time. */
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

Deno.test("the printer prints a complete text through partial writes", () => {
  const output = slowOutput(3);
  const print = createPrinter(output);
  print("clé 🗝\n");
  print("two");
  assert.equal(output.text(), "clé 🗝\ntwo\n");
});

Deno.test("the printer ignores a closed pipe and throws other errors", () => {
  const failing = (error: Error) =>
    createPrinter({
      writeSync() {
        throw error;
      },
    });
  failing(new Deno.errors.BrokenPipe())("one");
  assert.throws(() => failing(new Deno.errors.BadResource())("one"), Deno.errors.BadResource);
});
