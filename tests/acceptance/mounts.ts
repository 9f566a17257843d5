/** Small file systems that can be filled and broken. Mounting them requires root. */

/** A mounted folder. Disposing unmounts it and deletes its storage. */
export interface Mount extends AsyncDisposable {
  readonly folder: string;
  remount(options: string): Promise<void>;
  /** Unmounts and mounts the file system with its contents. */
  mountAgain(): Promise<void>;
}

interface MountKind {
  /** Creates the source of the mount in a temporary folder. */
  prepare(temporary: string): Promise<void>;
  readonly mount: (temporary: string, folder: string) => readonly string[];
}

/** A file system in memory that loses its contents when it is unmounted. */
const TMPFS: MountKind = {
  prepare: () => Promise.resolve(),
  mount: (_temporary, folder) => ["-t", "tmpfs", "-o", "size=2m,mode=0755", "tmpfs", folder],
};

/** A file system in a file. `abort` makes it read-only while files are open, like a disk error. */
const EXT4: MountKind = {
  async prepare(temporary) {
    const image = `${temporary}/image`;
    await Deno.writeFile(image, new Uint8Array());
    await Deno.truncate(image, 16 * 1024 * 1024);
    await runCommand("mkfs.ext4", ["-q", "-F", image]);
  },
  mount: (temporary, folder) => ["-o", "loop,errors=remount-ro", `${temporary}/image`, folder],
};

const KINDS = { tmpfs: TMPFS, ext4: EXT4 };

export async function mounted(name: keyof typeof KINDS): Promise<Mount> {
  const kind = KINDS[name];
  const temporary = await Deno.makeTempDir({ prefix: "corbel-acceptance-" });
  const folder = `${temporary}/mount`;
  const mount = () => runCommand("mount", kind.mount(temporary, folder));
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
    remount: (options) => runCommand("mount", ["-o", `remount,${options}`, folder]),
    async mountAgain() {
      await runCommand("umount", [folder]);
      await mount();
    },
    async [Symbol.asyncDispose]() {
      await runCommand("umount", [folder]);
      await Deno.remove(temporary, { recursive: true });
    },
  };
}

/** Returns why such a file system cannot be mounted here, found by a trial mount, or null. */
export async function mountProblem(name: keyof typeof KINDS): Promise<string | null> {
  try {
    await using mount = await mounted(name);
    if (name === "ext4") await mount.remount("abort");
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

async function runCommand(program: string, args: readonly string[]): Promise<void> {
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
