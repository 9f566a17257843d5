/**
 * What runs on a processor that nobody else wants: it waits in place, leaves all it can to others,
 * and ends with who has started it, however that ends.
 */
const LOOP = "const parent = Deno.ppid; while (Deno.ppid === parent) { " +
  "for (let i = 0; i < 1e6; i++) Atomics.pause(); }";

/** Each is tried: only Linux knows of a scheduling below all priorities. */
const PRIORITIES = [["chrt", "--idle", "0"], ["nice", "-n", "19"]];

/**
 * Keeps the processors from halting while something is measured, by a loop on each that gives way
 * to everything else. On a virtual machine it can cost 15 µs to wake a halted one, and only the
 * slower side of a ratio would pay it: its load generator has time to sleep between two answers.
 */
export function keepAwake(): AsyncDisposable {
  const loops = Array.from({ length: navigator.hardwareConcurrency }, startLoop);
  return {
    async [Symbol.asyncDispose]() {
      for (const loop of loops) loop.kill("SIGKILL");
      await Promise.all(loops.map((loop) => loop.status));
    },
  };
}

function startLoop(): Deno.ChildProcess {
  for (const [program, ...args] of PRIORITIES) {
    try {
      return new Deno.Command(program!, {
        args: [...args, Deno.execPath(), "eval", LOOP],
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  throw new Error("There is no program to start one of low priority with");
}
