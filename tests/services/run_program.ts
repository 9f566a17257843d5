/** Runs programs that install services. */

export interface InstallOptions {
  /** Called with each line of progress and of a program's output. */
  readonly say: (line: string) => void;
  /** Stops the installation. */
  readonly signal?: AbortSignal;
}

const TAIL_CHARACTERS = 4000;

export interface ProgramEnd {
  readonly success: boolean;
  /** End of the output on standard error. */
  readonly tail: string;
}

/** Runs a program that reports its progress on standard error. */
export async function run(
  program: string,
  args: readonly string[],
  { say, ...options }: { env?: Record<string, string>; cwd?: string } & InstallOptions,
): Promise<ProgramEnd> {
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
    for (const completeLine of lines) say(completeLine);
  }
  if (line !== "") say(line);
  return { success: (await child.status).success, tail };
}
