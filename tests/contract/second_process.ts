import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { TextLineStream } from "./text_lines.ts";
import type { CallResult, Task } from "./worker.ts";

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

/** A second process on a store, which runs tasks. Ends when it is disposed. */
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

  /** Resolves when the process has opened the store. `prefix` is a command that runs it. */
  static async start(address: string, prefix: readonly string[] = []): Promise<SecondProcess> {
    const started = new SecondProcess([...prefix, ...COMMAND, address]);
    try {
      await started.answer();
    } catch (error) {
      await started.kill().catch(() => {}); // It may have ended.
      await started[Symbol.asyncDispose]();
      throw error;
    }
    return started;
  }

  /** Runs a task. Concurrent runs are answered in the order of their calls. */
  async run(task: Task): Promise<readonly CallResult[]> {
    await this.send(task);
    return await this.answer();
  }

  async send(task: Task | "go on"): Promise<void> {
    await this.#input.write(new TextEncoder().encode(JSON.stringify(task) + "\n"));
  }

  async answer(): Promise<readonly CallResult[]> {
    const { value, done } = await this.#output.next();
    assert.ok(!done, "the second process ended without an answer");
    return JSON.parse(value) as readonly CallResult[];
  }

  async kill(): Promise<void> {
    this.#killed = true;
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#input.close().catch(() => {}); // It may have ended.
    await this.#output.return?.();
    const { success } = await this.#child.status;
    assert.ok(success || this.#killed, "the second process failed");
  }
}
