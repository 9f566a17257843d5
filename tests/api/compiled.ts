/** Type-checks a program with these files, and returns the compiler's errors or an empty text. */
export async function compileErrors(
  program: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-types-" });
  try {
    const options = { strict: true, noUncheckedIndexedAccess: true };
    const sources = {
      ...files,
      "deno.json": JSON.stringify({ compilerOptions: options }),
      "program.ts": program,
    };
    for (const [name, text] of Object.entries(sources)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "program.ts"],
      cwd: folder,
    }).output();
    return new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
