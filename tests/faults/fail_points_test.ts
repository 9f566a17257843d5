import { setTimeout as delay } from "node:timers/promises";
import {
  type Fault,
  type FaultyMongodb,
  startFaultyMongodb,
  type Times,
} from "./faulty_mongodb.ts";
import { everyNth } from "../support/every_nth.ts";
import { about, begun, COMMANDS, suffered } from "./endured.ts";
import { faultTest, type Fixture, openFixture, type Outcome, PATIENT, QUICK } from "./fixture.ts";

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

/** What is over when it has happened once, and what it befell may be sent again. */
const PASSING = new Set([
  "a closed connection",
  "a primary that is none any more",
  "a primary that steps down",
  "a primary that shuts down",
  "an operation interrupted by a shutdown",
]);

/** Commands that are not sent again, and why. */
const SENT_ONCE = new Map([
  ["delete", "MongoDB does not remember what it did to many documents"],
  ["getMore", "its cursor may have gone on, or gone"],
  ["validate", "it may still be at it, with the collection locked"],
  ["hello", "it says nothing of the server, only of a way to it"],
]);

/** Commands whose answers nobody needs, and why. */
const UNHEARD = new Map([
  ["abortTransaction", "what is not ended is ended before the next write, or by the server"],
  ["killCursors", "the server forgets a cursor by itself"],
  ["hello", "there are connections already"],
]);

const pick = (...names: string[]): typeof FAULTS =>
  Object.fromEntries(names.map((name) => [name, FAULTS[name]!]));

const LASTING = {
  ...pick(
    "a closed connection",
    "a primary that is none any more",
    "a write conflict",
    "a write that its majority may lose",
  ),
  // By so much that no delay of the client itself can let it come in time.
  "an answer that is far too slow": {
    blockConnection: true,
    blockTimeMS: 3 * QUICK.socketTimeoutMS,
  },
};

/** Only a write has a write concern. */
const READS = new Set([
  ...["find", "getMore", "killCursors", "aggregate", "count", "explain"],
  ...["listCollections", "listIndexes", "validate"],
]);

function concerns(fault: Fault, command: string, times: Times): boolean {
  if (fault.writeConcernError !== undefined) return !READS.has(command) && command !== "hello";
  // The driver sends it once more. A server that refuses it then, too, is no primary, and has ended
  // the transaction itself.
  return !(command === "abortTransaction" && fault.errorCode !== undefined && times !== 1);
}

interface Trial {
  readonly command: string;
  readonly fault: Fault;
  /** Its name. */
  readonly what: string;
  readonly times: Times;
}

/** How what sends the command must end; null where either end is right. */
function expectedOf({ command, fault, what, times }: Trial): Outcome["kind"] | null {
  if (times === 1 && PASSING.has(what) && !SENT_ONCE.has(command)) return "answered";
  if (times !== "always" || UNHEARD.has(command)) return null;
  // The second time there is nothing more to drop, and no change to wait for.
  const isDone = command === "dropIndexes" && fault.writeConcernError !== undefined;
  return isDone ? null : "unavailable";
}

interface Place {
  readonly mongodb: FaultyMongodb;
  readonly fixture: Fixture;
}

async function endure({ mongodb, fixture }: Place, trial: Trial): Promise<void> {
  const { command, fault, times } = trial;
  const attempts = await begun(fixture, command);
  const fail = (times: Times) => mongodb.fail([command], fault, times);
  // An index whose building only takes long is there in the end.
  const mayLinger = fault.blockConnection === true;
  const expectations = { expected: expectedOf(trial), mayLinger };
  const checks: (() => Promise<void>)[] = [];
  if (times === "always" || fault.blockConnection) {
    // All at once, because each takes its time.
    await fail(times === "always" ? times : times * attempts.length);
    checks.push(...await Promise.all(attempts.map((one) => suffered(one, expectations))));
  } else {
    for (const one of attempts) {
      await fail(times);
      checks.push(await suffered(one, expectations));
    }
  }
  await mongodb.heal();
  // What the server held back it does after all, and what comes next would meet that index.
  if (command === "createIndexes") await delay(fault.blockTimeMS ?? 0);
  // The driver's own `hello` may still be held back: when it is given up, connections are closed.
  if (command === "hello" && fault.blockConnection) await delay(QUICK.connectTimeoutMS + 200);
  for (const check of checks) await check();
}

for (
  const [often, times, faults] of [
    ["once", 1, FAULTS],
    ["twice", 2, pick("a closed connection", "a primary that is none any more")],
    ["for ever", "always", LASTING],
  ] as const
) {
  faultTest(
    `whatever MongoDB refuses ${often} is done once, or is a 503 and was done once at most`,
    async (t) => {
      await using mongodb = await startFaultyMongodb();
      await using fixture = await openFixture(mongodb.server, {
        driver: times === "always" ? QUICK : PATIENT,
      });
      for (const [at, [what, fault]] of Object.entries<Fault>(faults).entries()) {
        // In a short run, the commands that one fault leaves out meet the next one.
        const concerned = COMMANDS.filter((one, i) =>
          (i + at) % everyNth(2) === 0 && concerns(fault, one, times)
        );
        await t.step(`${what}, ${often}`, async () => {
          for (const command of concerned) {
            await about(command, endure({ mongodb, fixture }, { command, fault, what, times }));
          }
        });
      }
    },
  );
}
