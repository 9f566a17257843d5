import { until } from "../acceptance/until.ts";
import { type Mongodb, startMongodb } from "../services/mongodb_server.ts";

/** Ways to lose MongoDB and to bring it back on its port with its data. */
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
    await until("all of its threads are stopped", () => isStopped(mongodb.pid));
    return () => {
      Deno.kill(mongodb.pid, "SIGCONT");
      return Promise.resolve(mongodb);
    };
  },
};

/** Returns whether all threads are stopped. Until then the server may answer a request. */
async function isStopped(pid: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-L", "-o", "stat=", "-p", String(pid)],
  })
    .output();
  return new TextDecoder().decode(stdout).trim().split("\n").every((stat) => stat.startsWith("T"));
}
