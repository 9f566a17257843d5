import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TextLineStream } from "./text_lines.ts";
import type { Outcome, Task } from "./worker.ts";

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const COMMAND: readonly string[] = [
  Deno.execPath(),
  "run",
  "--quiet",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-net=127.0.0.1",
  "--allow-sys=osRelease,uid",
  "--config",
  file("../../deno.json"),
  file("./worker.ts"),
];

/** A second process on a store, which does what it is told. Ends with its scope. */
export class SecondProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: AsyncIterator<string>;
  #killed = false;

  private constructor(command: readonly string[]) {
    const [program, ...args] = command;
    this.#child = new Deno.Command(program!, { args, stdin: "piped", stdout: "piped" }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream())
      .values();
  }

  /** Resolves when the process has opened the store. `prefix` is a command that runs a command. */
  static async start(address: string, prefix: readonly string[] = []): Promise<SecondProcess> {
    const started = new SecondProcess([...prefix, ...COMMAND, address]);
    try {
      await started.answer();
    } catch (error) {
      await started.kill().catch(() => {}); // It may be gone.
      await started[Symbol.asyncDispose]();
      throw error;
    }
    return started;
  }

  /** Of several runs at once the answers come in the order of the questions. */
  async run(task: Task): Promise<readonly Outcome[]> {
    await this.tell(task);
    return await this.answer();
  }

  async tell(task: Task | "go on"): Promise<void> {
    await this.#input.write(new TextEncoder().encode(JSON.stringify(task) + "\n"));
  }

  async answer(): Promise<readonly Outcome[]> {
    const { value, done } = await this.#output.next();
    assert.ok(!done, "the second process ended without an answer");
    return JSON.parse(value) as readonly Outcome[];
  }

  /** At once, and without giving it the time for anything. */
  async kill(): Promise<void> {
    this.#killed = true;
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // It may be gone.
    await this.#output.return?.();
    const { success } = await this.#child.status;
    assert.ok(success || this.#killed, "the second process failed");
  }
}
