import type { Environment } from "./programs.ts";

export interface Machine extends AsyncDisposable {
  readonly env: Environment;
  /** Puts an empty file where a program is looked for. */
  put(path: string): Promise<void>;
}

/** A machine with nothing on its PATH and an empty cache. */
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
