import type { Clock } from "../clock.ts";
import { CACHE_MS } from "../limits.ts";
import { createLru } from "../lru.ts";
import { Problem } from "../problems.ts";
import type { Plan, Plans } from "../projects/plans.ts";
import type { Engine, Id } from "../store/port.ts";
import { KEPT_ANSWERS } from "./idempotency.ts";

/** Leave to write. Dispose of it when the write has ended, however it did. */
export interface Admission extends Disposable {
  /** Bytes by which the write may make the project's documents grow; below 0 where they must not. */
  readonly room: number;
  /** Why it may not. */
  readonly refusal: () => Problem;
}

export interface Asked {
  /** Bytes by which the write makes the project's documents grow, at most. */
  readonly bytes: number;
  /** Whether it may as well make them shrink: then it is let in with the room there is. */
  readonly mayShrink: boolean;
}

/**
 * Holds the documents of each project to its plan. Between two readings of what is stored a process
 * adds up what it writes itself; at the edge of the quota every write waits for a fresh reading,
 * with no other write of this process under way. So one process never writes past the quota, and
 * several together by no more than they write in {@linkcode CACHE_MS}.
 */
export interface DocumentQuota {
  /** Throws `DOCUMENT_QUOTA_EXCEEDED`. */
  admit(projectId: Id, asked: Asked): Promise<Admission>;
  /** What the project's documents take, as it is stored now. */
  used(projectId: Id): Promise<number>;
}

interface Gauge {
  /** As read last. */
  used: number;
  /** By the clock, when that reading began. */
  readAt: number;
  /** Bytes of writes that have ended since, and of some before. */
  added: number;
  /** Bytes of writes under way. */
  pending: number;
  writes: number;
  /** Resolves when none is under way, where somebody waits for that. */
  idle: PromiseWithResolvers<void> | null;
  reading: Promise<void> | null;
  /** Writes that wait for a reading of their own. */
  readonly waiting: Waiting[];
  isServing: boolean;
}

interface Waiting {
  readonly asked: Asked;
  readonly plan: Plan;
  readonly answer: PromiseWithResolvers<Admission>;
}

const GAUGES_KEPT = 20_000;
/** After half of its time a reading is renewed beside the writes. */
const RENEW_MS = CACHE_MS / 2;

export function createDocumentQuota(
  { engine, plans, clock }: { engine: Engine; plans: Plans; clock: Clock },
): DocumentQuota {
  const gauges = createLru<Id, Gauge>(GAUGES_KEPT);

  function gaugeOf(projectId: Id): Gauge {
    let gauge = gauges.get(projectId);
    if (gauge === undefined) {
      gauge = {
        used: 0,
        readAt: -Infinity,
        added: 0,
        pending: 0,
        writes: 0,
        idle: null,
        reading: null,
        waiting: [],
        isServing: false,
      };
      gauges.set(projectId, gauge);
    }
    return gauge;
  }

  /** What is written meanwhile may be in the reading or not: it stays counted beside it. */
  async function read(projectId: Id, gauge: Gauge): Promise<void> {
    const readAt = clock.elapsed();
    const { added } = gauge;
    gauge.used = await engine.bytes(projectId, [KEPT_ANSWERS]);
    gauge.added -= added;
    gauge.readAt = readAt;
  }

  const reading = (projectId: Id, gauge: Gauge): Promise<void> =>
    gauge.reading ??= read(projectId, gauge).finally(() => void (gauge.reading = null));

  /** One after the other, each batch by a reading in which all that is written shows. */
  async function serveWaiting(projectId: Id, gauge: Gauge): Promise<void> {
    gauge.isServing = true;
    while (gauge.waiting.length > 0) {
      await idle(gauge);
      await gauge.reading?.catch(() => {});
      const batch = gauge.waiting.splice(0);
      try {
        await reading(projectId, gauge);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
        continue;
      }
      gauge.waiting.unshift(...admitted(gauge, batch));
    }
    gauge.isServing = false;
  }

  return {
    async admit(projectId, asked) {
      const plan = await plans.of(projectId);
      const gauge = gaugeOf(projectId);
      const age = clock.elapsed() - gauge.readAt;
      if (age > CACHE_MS) await reading(projectId, gauge);
      // Who needs it, and finds it missing, reads it himself.
      else if (age > RENEW_MS) reading(projectId, gauge).catch(() => {});
      const room = roomIn(gauge, plan);
      if (asked.bytes <= room && !gauge.isServing) return enter(gauge, { asked, plan, room });
      const answer = Promise.withResolvers<Admission>();
      gauge.waiting.push({ asked, plan, answer });
      if (!gauge.isServing) serveWaiting(projectId, gauge);
      return await answer.promise;
    },
    used: (projectId) => engine.bytes(projectId, [KEPT_ANSWERS]),
  };
}

const roomIn = ({ used, added, pending }: Gauge, { documentBytes }: Plan): number =>
  documentBytes - used - added - pending;

/** Decides for each in turn; returns those for whom it takes another reading. */
function admitted(gauge: Gauge, batch: readonly Waiting[]): readonly Waiting[] {
  for (const [index, { asked, plan, answer }] of batch.entries()) {
    const room = roomIn(gauge, plan);
    if (asked.bytes <= room) answer.resolve(enter(gauge, { asked, plan, room }));
    else if (!asked.mayShrink) answer.reject(exceeded(plan));
    else {
      answer.resolve(enter(gauge, { asked, plan, room }));
      // How much of the room it takes is known when it has ended.
      return batch.slice(index + 1);
    }
  }
  return [];
}

function enter(
  gauge: Gauge,
  { asked: { bytes }, plan, room }: { asked: Asked; plan: Plan; room: number },
): Admission {
  gauge.pending += bytes;
  gauge.writes++;
  return {
    room,
    refusal: () => exceeded(plan),
    [Symbol.dispose]() {
      gauge.pending -= bytes;
      gauge.added += bytes;
      if (--gauge.writes === 0) gauge.idle?.resolve();
    },
  };
}

async function idle(gauge: Gauge): Promise<void> {
  if (gauge.writes === 0) return;
  gauge.idle = Promise.withResolvers();
  await gauge.idle.promise;
  gauge.idle = null;
}

/** Of a write that would make the project's documents grow beyond its plan. */
function exceeded({ name, documentBytes }: Plan): Problem {
  const most = Math.floor(documentBytes / 1_048_576);
  return new Problem("DOCUMENT_QUOTA_EXCEEDED", {
    message: `A project's documents may take ${most} MB on the ${name} plan, and this would be ` +
      "more: delete some for good, or use a larger plan.",
  });
}
