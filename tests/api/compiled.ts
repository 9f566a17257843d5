/** What the compiler says of a program beside these files; empty for nothing. */
export async function compiled(
  program: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-types-" });
  try {
    const options = { strict: true, noUncheckedIndexedAccess: true };
    const all = {
      ...files,
      "deno.json": JSON.stringify({ compilerOptions: options }),
      "program.ts": program,
    };
    for (const [name, text] of Object.entries(all)) {
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
