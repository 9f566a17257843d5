/** Programs that get what a machine lacks. */

export interface Bringing {
  /** Told what is done, and what a program says of it, a line each. */
  readonly say: (line: string) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

const TAIL_CHARACTERS = 4000;

export interface End {
  readonly success: boolean;
  /** The last of what was said on standard error. */
  readonly tail: string;
}

/** Runs a program that says on standard error what it does. */
export async function run(
  program: string,
  args: readonly string[],
  { say, ...options }: { env?: Record<string, string>; cwd?: string } & Bringing,
): Promise<End> {
  const child = new Deno.Command(program, {
    ...options,
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let tail = "";
  let line = "";
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    tail = (tail + text).slice(-TAIL_CHARACTERS);
    const lines = (line + text).split("\n");
    line = lines.pop()!;
    for (const whole of lines) say(whole);
  }
  if (line !== "") say(line);
  return { success: (await child.status).success, tail };
}
