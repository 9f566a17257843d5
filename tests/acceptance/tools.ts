/** Runs tools of other languages. */

export interface ToolOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program and returns its standard output. Throws with all output if it fails. */
export async function runTool(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env = {} }: ToolOptions,
): Promise<string> {
  const command = new Deno.Command(program, { args, cwd, env: { ...env }, stdin: "null" });
  const { success, stdout, stderr } = await command.output();
  const [said, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`${program} ${args.join(" ")} failed:\n${said}${errors}`);
  return said!;
}

/** Installs packages into a new environment, and resolves to the folder of its programs. */
export async function installPython(
  python: string,
  requirements: string,
  folder: string,
): Promise<string> {
  const programs = `${folder}/venv/bin`;
  await runTool([python, "-m", "venv", "venv"], { cwd: folder });
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await runTool([`${programs}/python`, ...install, "-r", requirements], { cwd: folder });
  return programs;
}
