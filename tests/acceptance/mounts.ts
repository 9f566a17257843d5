/** Small file systems that can be filled and broken. Mounting them is for root only. */

/** A mounted folder; disposing unmounts it and removes what it lay on. */
export interface Mount extends AsyncDisposable {
  readonly folder: string;
  /** Runs `mount -o remount` with these options. */
  remount(options: string): Promise<void>;
  /** Unmounts, and mounts again what was stored. */
  again(): Promise<void>;
}

interface Kind {
  /** Makes what is mounted, in a temporary folder. */
  prepare(temporary: string): Promise<void>;
  readonly mount: (temporary: string, folder: string) => readonly string[];
}

/** In memory; lost when it is unmounted. */
const TMPFS: Kind = {
  prepare: () => Promise.resolve(),
  mount: (_temporary, folder) => ["-t", "tmpfs", "-o", "size=2m,mode=0755", "tmpfs", folder],
};

/** In a file; `abort` makes it read-only while files are open, as an error of a real disk does. */
const EXT4: Kind = {
  async prepare(temporary) {
    const image = `${temporary}/image`;
    await Deno.writeFile(image, new Uint8Array());
    await Deno.truncate(image, 16 * 1024 * 1024);
    await command("mkfs.ext4", ["-q", "-F", image]);
  },
  mount: (temporary, folder) => ["-o", "loop,errors=remount-ro", `${temporary}/image`, folder],
};

const KINDS = { tmpfs: TMPFS, ext4: EXT4 };

export async function mounted(name: keyof typeof KINDS): Promise<Mount> {
  const kind = KINDS[name];
  const temporary = await Deno.makeTempDir({ prefix: "corbel-acceptance-" });
  const folder = `${temporary}/mount`;
  const mount = () => command("mount", kind.mount(temporary, folder));
  try {
    await Deno.mkdir(folder);
    await kind.prepare(temporary);
    await mount();
  } catch (error) {
    await Deno.remove(temporary, { recursive: true });
    throw error;
  }
  return {
    folder,
    remount: (options) => command("mount", ["-o", `remount,${options}`, folder]),
    async again() {
      await command("umount", [folder]);
      await mount();
    },
    async [Symbol.asyncDispose]() {
      await command("umount", [folder]);
      await Deno.remove(temporary, { recursive: true });
    },
  };
}

/** Why such a file system cannot be mounted here, found out by trying; null if it can. */
export async function mountProblem(name: keyof typeof KINDS): Promise<string | null> {
  try {
    await using mount = await mounted(name);
    if (name === "ext4") await mount.remount("abort");
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function command(program: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
  }
}
