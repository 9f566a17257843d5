import { StoreUnavailable } from "../errors.ts";

/** How often those who are in a folder look whether somebody comes, or everybody has gone. */
const LOOK_MS = 50;
/** Looks between two tries to be alone again: whoever has knocked needs a moment to come in. */
const LOOKS_SHARED = 20;
const KNOCK_EVERY_MS = 10;
/** Whoever is in the folder answers within a look, unless their event loop stands still. */
const KNOCK_LIMIT_MS = 10_000;

/**
 * Whether an engine has its folder to itself. One that has need not ask before each answer whether
 * somebody else has committed, which costs more than the answer.
 *
 * Everybody who is in the folder holds a lock on `present`: shared among several, exclusive if they are
 * alone. Whoever comes and is refused the lock knocks, and waits: before they are let in, the one who
 * was alone has stopped relying on it. Locks change hands only by whom `door` is locked: else a
 * third could find the folder empty in the moment between two kinds of lock. Locks of a process that
 * dies are gone with it.
 */
export class Tenancy implements Disposable {
  readonly #present: Deno.FsFile;
  readonly #door: Deno.FsFile;
  readonly #timer: ReturnType<typeof setInterval>;
  #isAlone: boolean;
  /** When somebody knocked last, as far as it was answered. */
  #knocked: number;
  #moment = 0;

  private constructor(present: Deno.FsFile, door: Deno.FsFile, isAlone: boolean) {
    this.#present = present;
    this.#door = door;
    this.#isAlone = isAlone;
    this.#knocked = knockedAt(door);
    this.#timer = setInterval(() => {
      try {
        this.#look();
      } catch {
        this.#isAlone = false; // Locks that fail are not relied on.
      }
    }, LOOK_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Throws `StoreUnavailable` where whoever is alone in the folder does not answer in time. */
  static async enter(folder: string, limitMs = KNOCK_LIMIT_MS): Promise<Tenancy> {
    await using opened = new AsyncDisposableStack();
    const file = (name: string) =>
      opened.use(
        Deno.openSync(`${folder}/${name}`, { create: true, read: true, write: true, mode: 0o600 }),
      );
    const [present, door] = [file("present"), file("door")];
    const until = performance.now() + limitMs;
    let isAlone = atDoor(door, () => present.tryLockSync(true)) === true;
    while (!isAlone && !present.tryLockSync(false)) {
      if (performance.now() > until) throw notAnswered(folder);
      door.utimeSync(new Date(), new Date());
      await new Promise((resolve) => setTimeout(resolve, KNOCK_EVERY_MS));
      isAlone = atDoor(door, () => present.tryLockSync(true)) === true;
    }
    opened.move();
    return new Tenancy(present, door, isAlone);
  }

  /**
   * As long as it is the same number, no other engine has committed anything in the folder; it is
   * equal to nothing, itself included, while others are there. It is another one every
   * {@linkcode LOOK_MS}, for the sake of programs that know nothing of this.
   */
  get moment(): number {
    return this.#isAlone ? this.#moment : NaN;
  }

  #look(): void {
    this.#moment++;
    if (this.#isAlone) {
      const knocked = knockedAt(this.#door);
      if (knocked === this.#knocked) return;
      atDoor(this.#door, () => {
        this.#isAlone = false;
        this.#knocked = knocked;
        this.#present.lockSync(false);
      });
    } else if (this.#moment % LOOKS_SHARED === 0) {
      // A try that fails may have lost the lock that was held; at the door nobody else is alone.
      atDoor(this.#door, () => {
        this.#knocked = knockedAt(this.#door);
        this.#isAlone = this.#present.tryLockSync(true);
        if (!this.#isAlone) this.#present.lockSync(false);
      });
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#isAlone = false;
    this.#present.close();
    this.#door.close();
  }
}

const knockedAt = (door: Deno.FsFile): number => door.statSync().mtime!.getTime();

/** Undefined where somebody else is at the door. */
function atDoor<T>(door: Deno.FsFile, work: () => T): T | undefined {
  if (!door.tryLockSync(true)) return undefined;
  try {
    return work();
  } finally {
    door.unlockSync();
  }
}

const notAnswered = (folder: string) =>
  new StoreUnavailable(
    `Another process has "${folder}" and does not answer: stop it, or wait until it does`,
  );
