import { setTimeout as delay } from "node:timers/promises";
import {
  type Fault,
  type FaultyMongodb,
  startFaultyMongodb,
  type Times,
} from "./faulty_mongodb.ts";
import { everyNth } from "../support/every_nth.ts";
import { COMMANDS, prepareAttempts, sendDuringFault, withCommandName } from "./trials.ts";
import {
  faultTest,
  type Fixture,
  LONG_SELECTION,
  openFixture,
  type RequestResult,
  SHORT_TIMEOUTS,
} from "./fixture.ts";

const errors = (code: number, errorLabels?: string[]): Fault => ({
  errorCode: code,
  ...(errorLabels && { errorLabels }),
});

/** Faults by name. Without labels, the server adds those that a real one sends. */
const FAULTS: Readonly<Record<string, Fault>> = {
  "a closed connection": { closeConnection: true },
  "a server that is not primary any more": errors(10_107),
  "a primary that steps down": errors(189),
  "a primary that shuts down": errors(91),
  "an operation interrupted by a shutdown": errors(11_600),
  "a lost primary without any label": errors(10_107, []),
  "a write conflict": errors(112),
  "a write conflict without any label": errors(112, []),
  "a time limit of the server": errors(50),
  "an answer that is too slow": {
    blockConnection: true,
    blockTimeMS: SHORT_TIMEOUTS.socketTimeoutMS + 150,
  },
  "a write that its majority may lose": {
    writeConcernError: { code: 64, codeName: "WriteConcernFailed", errmsg: "waiting timed out" },
  },
  "a primary that goes while others confirm": {
    writeConcernError: { code: 91, codeName: "ShutdownInProgress", errmsg: "shutting down" },
    errorLabels: ["RetryableWriteError"],
  },
};

/** Faults that a single retry resolves. */
const RESOLVED_BY_RETRY = new Set([
  "a closed connection",
  "a server that is not primary any more",
  "a primary that steps down",
  "a primary that shuts down",
  "an operation interrupted by a shutdown",
]);

/** Commands that are not retried, and why. */
const SENT_ONCE = new Map([
  ["delete", "MongoDB does not recognize a retry of a write to many documents"],
  ["getMore", "its cursor may have advanced or ended"],
  ["validate", "it may still be running, with the collection locked"],
  ["hello", "it belongs to a connection, not to a request"],
]);

/** Commands whose responses are not needed, and why. */
const UNAWAITED = new Map([
  ["abortTransaction", "the next write or the server ends an open transaction"],
  ["killCursors", "the server closes a cursor after a timeout"],
  ["hello", "connections exist already"],
]);

const pick = (...names: string[]): typeof FAULTS =>
  Object.fromEntries(names.map((name) => [name, FAULTS[name]!]));

const LASTING = {
  ...pick(
    "a closed connection",
    "a server that is not primary any more",
    "a write conflict",
    "a write that its majority may lose",
  ),
  // The delay exceeds all timeouts of the client.
  "an answer that is far too slow": {
    blockConnection: true,
    blockTimeMS: 3 * SHORT_TIMEOUTS.socketTimeoutMS,
  },
};

/** Commands without a write concern. */
const READS = new Set([
  ...["find", "getMore", "killCursors", "aggregate", "count", "explain"],
  ...["listCollections", "listIndexes", "validate"],
]);

function canFail(fault: Fault, command: string, times: Times): boolean {
  if (fault.writeConcernError !== undefined) return !READS.has(command) && command !== "hello";
  // The driver sends it once more. A server that fails the retry too is not a primary, and has
  // ended the transaction itself.
  return !(command === "abortTransaction" && fault.errorCode !== undefined && times !== 1);
}

interface Trial {
  readonly command: string;
  readonly fault: Fault;
  /** Name of the fault. */
  readonly what: string;
  readonly times: Times;
}

/** Returns how an operation that sends the command must end; null if both results are valid. */
function expectedOf({ command, fault, what, times }: Trial): RequestResult["kind"] | null {
  if (times === 1 && RESOLVED_BY_RETRY.has(what) && !SENT_ONCE.has(command)) return "answered";
  if (times !== "always" || UNAWAITED.has(command)) return null;
  // The second attempt has no index to drop and no change to wait for.
  const isDone = command === "dropIndexes" && fault.writeConcernError !== undefined;
  return isDone ? null : "unavailable";
}

interface FaultFixture {
  readonly mongodb: FaultyMongodb;
  readonly fixture: Fixture;
}

async function runTrial({ mongodb, fixture }: FaultFixture, trial: Trial): Promise<void> {
  const { command, fault, times } = trial;
  const attempts = await prepareAttempts(fixture, command);
  const fail = (times: Times) => mongodb.fail([command], fault, times);
  // An index that only takes long to build exists in the end.
  const mayLinger = fault.blockConnection === true;
  const expectations = { expected: expectedOf(trial), mayLinger };
  const checks: (() => Promise<void>)[] = [];
  if (times === "always" || fault.blockConnection) {
    // All attempts are sent at once, because each takes time.
    await fail(times === "always" ? times : times * attempts.length);
    checks.push(...await Promise.all(attempts.map((one) => sendDuringFault(one, expectations))));
  } else {
    for (const one of attempts) {
      await fail(times);
      checks.push(await sendDuringFault(one, expectations));
    }
  }
  await mongodb.heal();
  // The server still completes a delayed command, and the next attempt would find its index.
  if (command === "createIndexes") await delay(fault.blockTimeMS ?? 0);
  // The driver's own `hello` may still be delayed; when it times out, connections are closed.
  if (command === "hello" && fault.blockConnection) {
    await delay(SHORT_TIMEOUTS.connectTimeoutMS + 200);
  }
  for (const check of checks) await check();
}

for (
  const [often, times, faults] of [
    ["once", 1, FAULTS],
    ["twice", 2, pick("a closed connection", "a server that is not primary any more")],
    ["for ever", "always", LASTING],
  ] as const
) {
  faultTest(
    `a request that MongoDB refuses ${often} is done once, or is a 503 and done at most once`,
    async (t) => {
      await using mongodb = await startFaultyMongodb();
      await using fixture = await openFixture(mongodb.server, {
        driver: times === "always" ? SHORT_TIMEOUTS : LONG_SELECTION,
      });
      for (const [at, [what, fault]] of Object.entries<Fault>(faults).entries()) {
        // In a short run, the commands that one fault leaves out are tested with the next fault.
        const concerned = COMMANDS.filter((one, i) =>
          (i + at) % everyNth(2) === 0 && canFail(fault, one, times)
        );
        await t.step(`${what}, ${often}`, async () => {
          for (const command of concerned) {
            await withCommandName(
              command,
              runTrial({ mongodb, fixture }, { command, fault, what, times }),
            );
          }
        });
      }
    },
  );
}
