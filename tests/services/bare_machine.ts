import type { Environment } from "./programs.ts";

export interface Machine extends AsyncDisposable {
  readonly env: Environment;
  put(path: string): Promise<void>;
}

/** Creates a machine with an empty PATH and an empty cache. */
export async function bareMachine(): Promise<Machine> {
  const folder = await Deno.makeTempDir({ prefix: "corbel-services-" });
  return {
    env: { PATH: `${folder}/first:${folder}/second`, HOME: folder },
    async put(path) {
      await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(path, "");
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
