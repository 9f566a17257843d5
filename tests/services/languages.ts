/** Languages whose tools the full matrix runs on the document. */

import { findProgram } from "./programs.ts";
import type { Service } from "./mod.ts";

/** Python with `venv`, which Debian has in a separate package. */
export const python: Service = {
  name: "Python",
  suite: "the Python clients and schemathesis",
  command: "apt-get install python3-venv, 3.11 or newer",
  async find(env) {
    const path = await findProgram("python3", env);
    if (path === null) return null;
    const args = ["-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"];
    const { success } = await new Deno.Command(path, { args, stderr: "null" }).output();
    return success ? path : null;
  },
};

export const go: Service = {
  name: "Go",
  suite: "the Go client",
  command: "apt-get install golang-go, 1.25 or newer",
  find: (env) => findProgram("go", env, ["/usr/local/go/bin"]),
};

export const node: Service = {
  name: "Node.js with npm",
  suite: "the TypeScript client",
  command: "apt-get install nodejs npm, Node 20 or newer",
  async find(env) {
    const [node, npm] = await Promise.all([findProgram("node", env), findProgram("npm", env)]);
    return npm === null ? null : node;
  },
};

/** Runtime of OpenAPI Generator. */
export const java: Service = {
  name: "Java",
  suite: "the Python and Go clients of a project",
  command: "apt-get install default-jre-headless, 11 or newer",
  find: (env) => findProgram("java", env),
};

export const LANGUAGES: readonly Service[] = [python, go, node, java];
