/** Where Chromium is. */

import { type Environment, findProgram, isFile } from "./programs.ts";
import { type Bringing, run } from "./run_program.ts";

/** Debian's, which needs a quarter less processor time than what can also show a window. */
const PACKAGE = "chromium-headless-shell";

/** Chromium itself and browsers built on it that answer to the same protocol. */
const PROGRAMS = [PACKAGE, "chromium", "chromium-browser", "google-chrome"];

/**
 * `CHROMIUM_PATH`, else the first on the PATH or where Debian puts it; null if there is none. A
 * given path that leads to nothing is not made up for by another browser.
 */
export async function findChromium(env: Environment): Promise<string | null> {
  if (env.CHROMIUM_PATH) return await isFile(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null;
  for (const beside of [[], ["/usr/bin"]]) {
    for (const name of PROGRAMS) {
      const path = await findProgram(name, env, beside);
      if (path !== null) return path;
    }
  }
  return null;
}

const BY_HAND = `Install Debian's package \`${PACKAGE}\`, or set CHROMIUM_PATH.`;

/** Installs Debian's package. Throws with what to do where that cannot be done without asking. */
export async function installChromium(
  env: Environment,
  { say, signal }: Bringing,
): Promise<void> {
  if (env.CHROMIUM_PATH) throw new Error(`CHROMIUM_PATH leads nowhere: "${env.CHROMIUM_PATH}"`);
  const apt = await findProgram("apt-get", env);
  if (apt === null) throw new Error(`This machine has no apt-get. ${BY_HAND}`);
  say(`Installing Debian's package ${PACKAGE}`);
  for (const args of [["update", "-qq"], ["install", "-y", "-qq", PACKAGE]]) {
    const bringing = { say, env: { DEBIAN_FRONTEND: "noninteractive" }, ...(signal && { signal }) };
    const { success } = await run(apt, args, bringing);
    if (!success) throw new Error(`\`apt-get ${args.join(" ")}\` failed: is this root? ${BY_HAND}`);
  }
}
