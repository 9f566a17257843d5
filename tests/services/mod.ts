/**
 * What the suites need beside Deno, and where this machine has it. Says for each service whether it
 * was found and, if not, the command that brings it; with `CI=true` a missing one is a failure.
 */

export interface Service {
  readonly name: string;
  /** What uses it. */
  readonly suite: string;
  /** Where it is, or null. */
  find(): Promise<string | null>;
  /** What to type to get it. */
  readonly command: string;
}

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser, for the pages that Corbel serves. */
export const browser: Service = {
  name: "browser",
  suite: "tests/acceptance/reference_test.ts",
  command: "apt-get install -y chromium",
  async find() {
    for (const path of BROWSERS) {
      const found = await Deno.stat(path).then((info) => info.isFile, () => false);
      if (found) return path;
    }
    return null;
  },
};

const SERVICES: readonly Service[] = [browser];

/**
 * Where a service is. Without it: null and one line that says how to get it, or with `CI=true` an
 * error.
 */
export async function require(service: Service): Promise<string | null> {
  const path = await service.find();
  if (path !== null) return path;
  const message = `Left out: ${service.suite} needs a ${service.name}. Get it: ${service.command}`;
  if (Deno.env.get("CI") === "true") throw new Error(message);
  console.log(message);
  return null;
}

if (import.meta.main) {
  for (const service of SERVICES) {
    const path = await service.find();
    if (path === null) Deno.exitCode = Deno.env.get("CI") === "true" ? 1 : 0;
    console.log(`${service.name}: ${path ?? `missing. Get it: ${service.command}`}`);
  }
}
