import { type Environment, findProgram, isFile } from "./programs.ts";
import { type InstallOptions, run } from "./run_program.ts";

/** Debian's headless build, which needs a quarter less processor time than the full browser. */
const PACKAGE = "chromium-headless-shell";

/** Names of Chromium and of browsers built on it that speak the same protocol. */
const PROGRAMS = [PACKAGE, "chromium", "chromium-browser", "google-chrome"];

/**
 * Returns `CHROMIUM_PATH`, otherwise the first browser on the PATH or in Debian's folder; null if
 * there is none. If `CHROMIUM_PATH` is set to a missing file, no other browser is used.
 */
export async function findChromium(env: Environment): Promise<string | null> {
  if (env.CHROMIUM_PATH) return await isFile(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null;
  for (const otherFolders of [[], ["/usr/bin"]]) {
    for (const name of PROGRAMS) {
      const path = await findProgram(name, env, otherFolders);
      if (path !== null) return path;
    }
  }
  return null;
}

const BY_HAND = `Install Debian's package \`${PACKAGE}\`, or set CHROMIUM_PATH.`;

/** Installs Debian's package. Throws with instructions if that needs user input. */
export async function installChromium(
  env: Environment,
  { say, signal }: InstallOptions,
): Promise<void> {
  if (env.CHROMIUM_PATH) throw new Error(`CHROMIUM_PATH leads nowhere: "${env.CHROMIUM_PATH}"`);
  const apt = await findProgram("apt-get", env);
  if (apt === null) throw new Error(`This machine has no apt-get. ${BY_HAND}`);
  say(`Installing Debian's package ${PACKAGE}`);
  for (const args of [["update", "-qq"], ["install", "-y", "-qq", PACKAGE]]) {
    const installOptions = {
      say,
      env: { DEBIAN_FRONTEND: "noninteractive" },
      ...(signal && { signal }),
    };
    const { success } = await run(apt, args, installOptions);
    if (!success) throw new Error(`\`apt-get ${args.join(" ")}\` failed: is this root? ${BY_HAND}`);
  }
}
