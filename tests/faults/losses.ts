/** Ways for a MongoDB to be gone for a while. */

import { until } from "../acceptance/until.ts";
import { type Mongodb, startMongodb } from "../services/mongodb_server.ts";

/** How MongoDB goes, and how it comes back on the same port with the same data. */
export const LOSSES: Readonly<
  Record<string, (mongodb: Mongodb) => Promise<() => Promise<Mongodb>>>
> = {
  async "is killed"(mongodb) {
    await mongodb.kill();
    const { folder, port } = mongodb;
    return () => startMongodb({ folder, port });
  },
  async "hangs"(mongodb) {
    Deno.kill(mongodb.pid, "SIGSTOP");
    await until("all of its threads stand still", () => isStopped(mongodb.pid));
    return () => {
      Deno.kill(mongodb.pid, "SIGCONT");
      return Promise.resolve(mongodb);
    };
  },
};

/** Until then it may answer one request more. */
async function isStopped(pid: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-L", "-o", "stat=", "-p", String(pid)],
  })
    .output();
  return new TextDecoder().decode(stdout).trim().split("\n").every((stat) => stat.startsWith("T"));
}
