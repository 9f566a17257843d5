import type { Progress } from "@/lib/operations/archive/progress.ts";

const REDRAWN_MS = 200;

/** One line on the terminal that says how far a command is; nothing where nobody looks. */
export function terminalProgress(): Progress & Disposable {
  const isShown = Deno.stderr.isTerminal();
  const counts = new Map<string, number>();
  const began = performance.now();
  let drawnAt = 0;
  const draw = (what: string) => {
    drawnAt = performance.now();
    const seconds = Math.round((drawnAt - began) / 1000);
    write(`\r\x1b[K${what}: ${counts.get(what)!.toLocaleString("en")}, ${seconds} s`);
  };
  return {
    of(what) {
      return (count) => {
        counts.set(what, (counts.get(what) ?? 0) + count);
        if (isShown && performance.now() - drawnAt > REDRAWN_MS) draw(what);
      };
    },
    [Symbol.dispose]() {
      if (isShown && drawnAt > 0) write("\r\x1b[K");
    },
  };
}

const write = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text));
