import assert from "node:assert/strict";
import type { Fault, Times } from "./faulty_mongodb.ts";
import { type Attempt, OPERATIONS } from "./operations.ts";
import { faultTest, openWorld, QUICK, type World } from "./world.ts";

const errors = (code: number, errorLabels?: string[]): Fault => ({
  errorCode: code,
  ...(errorLabels && { errorLabels }),
});

/** Labels are the server's own, as a real one sends them, where a fault names none. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "a closed connection": { closeConnection: true },
  "a primary that is none any more": errors(10_107),
  "a primary that steps down": errors(189),
  "a primary that shuts down": errors(91),
  "an operation interrupted by a shutdown": errors(11_600),
  "a lost primary without any label": errors(10_107, []),
  "a write conflict": errors(112),
  "a write conflict without any label": errors(112, []),
  "a time limit of the server": errors(50),
  "an answer that is too slow": {
    blockConnection: true,
    blockTimeMS: QUICK.socketTimeoutMS + 150,
  },
  "a write that its majority may lose": {
    writeConcernError: { code: 64, codeName: "WriteConcernFailed", errmsg: "waiting timed out" },
  },
  "a primary that goes while others confirm": {
    writeConcernError: { code: 91, codeName: "ShutdownInProgress", errmsg: "shutting down" },
    errorLabels: ["RetryableWriteError"],
  },
};

const LASTING = [
  "a closed connection",
  "a primary that is none any more",
  "a write conflict",
  "an answer that is too slow",
  "a write that its majority may lose",
];

/** Only a write has a write concern. */
const READS = new Set(["find", "aggregate", "count", "listIndexes", "ping"]);

/** `hello` is how every connection begins, whatever it is for. */
const COMMANDS = [...new Set(Object.values(OPERATIONS).flatMap(({ sends }) => sends)), "hello"];

function concerns(fault: Fault, command: string, times: Times): boolean {
  if (fault.writeConcernError !== undefined) return !READS.has(command) && command !== "hello";
  // A server that refuses this for ever is no primary, and has ended the transaction itself.
  return !(command === "abortTransaction" && fault.errorCode !== undefined && times === "always");
}

async function begun(world: World, command: string): Promise<[string, Attempt][]> {
  const concerned = Object.entries(OPERATIONS)
    .filter(([, { sends }]) => command === "hello" || sends.includes(command));
  const attempts: [string, Attempt][] = [];
  for (const [name, operation] of concerned) attempts.push([name, await operation.begin(world)]);
  return attempts;
}

/** Under the fault; resolves to what is to be checked once the fault is over. */
async function suffered(
  name: string,
  attempt: Attempt,
  fault: Fault,
): Promise<() => Promise<void>> {
  const outcome = await attempt.send();
  if (outcome.kind === "answered") {
    assert.ok(attempt.done.includes(outcome.status), `${name} answered ${outcome.status}`);
  }
  return async () => {
    const before = await attempt.effects();
    if (outcome.kind === "answered") {
      assert.equal(before, 1, `${name} was answered, so it took effect once`);
      await attempt.leftover?.(true);
      return;
    }
    assert.ok(before === 0 || before === 1, `${name} took effect ${before} times`);
    // An index whose building only takes long is there in the end.
    if (before === 0 && !fault.blockConnection) await attempt.leftover?.(false);
    const again = await attempt.send();
    assert.equal(again.kind, "answered", `${name} is served again`);
    const { status } = again as { status: number };
    const allowed = before === 1 ? [...attempt.done, ...attempt.taken ?? []] : attempt.done;
    assert.ok(allowed.includes(status), `${name} was sent again and answered ${status}`);
    const after = await attempt.effects();
    assert.equal(after, attempt.onceOnly ? 1 : before + 1, `${name}, sent again`);
    await attempt.leftover?.(true);
  };
}

async function endure(world: World, command: string, fault: Fault, times: Times): Promise<void> {
  const { mongodb } = world;
  const attempts = await begun(world, command);
  const fail = (times: Times) => mongodb.fail([command], fault, times);
  const checks: (() => Promise<void>)[] = [];
  if (times === "always" || fault.blockConnection) {
    // All at once, because each takes its time.
    await fail(times === "always" ? times : times * attempts.length);
    checks.push(...await Promise.all(attempts.map((one) => suffered(...one, fault))));
  } else {
    for (const one of attempts) {
      await fail(times);
      checks.push(await suffered(...one, fault));
    }
  }
  await mongodb.heal();
  for (const check of checks) await check();
}

for (
  const [what, times, faults] of [
    ["once", 1, Object.keys(FAULTS)],
    ["twice", 2, ["a closed connection", "a primary that is none any more"]],
    ["for ever", "always", LASTING],
  ] as const
) {
  faultTest(
    `whatever MongoDB refuses ${what} is done once, or is a 503 and was done once at most`,
    async (t) => {
      await using world = await openWorld();
      for (const name of faults) {
        const fault = FAULTS[name]!;
        await t.step(`${name}, ${what}`, async (t) => {
          for (const command of COMMANDS.filter((one) => concerns(fault, one, times))) {
            await t.step(command, () => endure(world, command, fault, times));
          }
        });
      }
    },
  );
}
