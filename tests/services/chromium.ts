/** Where Chromium is. */

import { type Environment, findProgram, isFile } from "./programs.ts";

/** Chromium itself and browsers built on it that answer to the same protocol. */
const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];

/**
 * `CHROMIUM_PATH`, else the first on the PATH or where Debian puts it; null if there is none. A
 * given path that leads to nothing is not made up for by another browser.
 */
export async function findChromium(env: Environment): Promise<string | null> {
  if (env.CHROMIUM_PATH) return await isFile(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null;
  for (const name of PROGRAMS) {
    const path = await findProgram(name, env, ["/usr/bin"]);
    if (path !== null) return path;
  }
  return null;
}
