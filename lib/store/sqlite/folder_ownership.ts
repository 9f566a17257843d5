import { StoreUnavailable } from "../errors.ts";

/** How often a member looks for requests to share the folder, or whether the others have left. */
const LOOK_MS = 50;
/** Looks between two tries to own the folder again: whoever has asked to share needs time to join. */
const LOOKS_SHARED = 20;
const REQUEST_EVERY_MS = 10;
/** The owner answers within a look, unless its event loop stands still. */
const REQUEST_LIMIT_MS = 10_000;

/**
 * Whether an engine has its folder to itself. An owner need not ask before each answer whether
 * somebody else has committed, which costs more than the answer.
 *
 * Every engine in the folder holds the member lock: exclusive as its only one, else shared. One that
 * comes and is refused the lock asks to share, by the time of the gate lock's file, and waits: before
 * it gets the lock, the owner has stopped to rely on being alone. The member lock changes hands only
 * under the gate lock: else a third engine could find the folder empty between two kinds of lock.
 * Locks of a process that dies are gone with it.
 */
export class FolderOwnership implements Disposable {
  readonly #memberLock: Deno.FsFile;
  readonly #gateLock: Deno.FsFile;
  readonly #timer: ReturnType<typeof setInterval>;
  #isOwner: boolean;
  /** When somebody asked to share last, as far as it was answered. */
  #requestedAt: number;
  #epoch = 0;

  private constructor(memberLock: Deno.FsFile, gateLock: Deno.FsFile, isOwner: boolean) {
    this.#memberLock = memberLock;
    this.#gateLock = gateLock;
    this.#isOwner = isOwner;
    this.#requestedAt = requestTime(gateLock);
    this.#timer = setInterval(() => {
      try {
        this.#look();
      } catch {
        this.#isOwner = false; // Locks that fail are not relied on.
      }
    }, LOOK_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Throws `StoreUnavailable` where the owner of the folder does not answer in time. */
  static async enter(folder: string, limitMs = REQUEST_LIMIT_MS): Promise<FolderOwnership> {
    await using opened = new AsyncDisposableStack();
    const file = (name: string) =>
      opened.use(
        Deno.openSync(`${folder}/${name}`, { create: true, read: true, write: true, mode: 0o600 }),
      );
    // Known by these names to every version of Corbel that may have the folder.
    const [memberLock, gateLock] = [file("present"), file("door")];
    const tryToOwn = () => underGate(gateLock, () => memberLock.tryLockSync(true)) === true;
    const until = performance.now() + limitMs;
    let isOwner = tryToOwn();
    while (!isOwner && !memberLock.tryLockSync(false)) {
      if (performance.now() > until) throw notAnswered(folder);
      gateLock.utimeSync(new Date(), new Date());
      await new Promise((resolve) => setTimeout(resolve, REQUEST_EVERY_MS));
      isOwner = tryToOwn();
    }
    opened.move();
    return new FolderOwnership(memberLock, gateLock, isOwner);
  }

  /**
   * As long as it is the same number, no other engine has committed anything in the folder; it is
   * equal to nothing, itself included, while the folder is shared. It is another one every
   * {@linkcode LOOK_MS}, for the sake of programs that do not take these locks.
   */
  get exclusiveEpoch(): number {
    return this.#isOwner ? this.#epoch : NaN;
  }

  #look(): void {
    this.#epoch++;
    if (this.#isOwner) this.#shareIfRequested();
    else if (this.#epoch % LOOKS_SHARED === 0) underGate(this.#gateLock, () => this.#tryToOwn());
  }

  #shareIfRequested(): void {
    const requestedAt = requestTime(this.#gateLock);
    if (requestedAt === this.#requestedAt) return;
    underGate(this.#gateLock, () => {
      this.#isOwner = false;
      this.#requestedAt = requestedAt;
      this.#memberLock.lockSync(false);
    });
  }

  /** A try that fails may have lost the lock that was held; under the gate lock nobody else owns. */
  #tryToOwn(): void {
    this.#requestedAt = requestTime(this.#gateLock);
    this.#isOwner = this.#memberLock.tryLockSync(true);
    if (!this.#isOwner) this.#memberLock.lockSync(false);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#isOwner = false;
    this.#memberLock.close();
    this.#gateLock.close();
  }
}

const requestTime = (gateLock: Deno.FsFile): number => gateLock.statSync().mtime!.getTime();

/** Undefined where somebody else holds the gate lock. */
function underGate<T>(gateLock: Deno.FsFile, work: () => T): T | undefined {
  if (!gateLock.tryLockSync(true)) return undefined;
  try {
    return work();
  } finally {
    gateLock.unlockSync();
  }
}

const notAnswered = (folder: string) =>
  new StoreUnavailable(
    `Another process has "${folder}" and does not answer: stop it, or wait until it does`,
  );
