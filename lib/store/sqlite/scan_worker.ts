/**
 * The worker that runs reads that examine many rows, one at a time. Between two reads it does not
 * hold a lock. A file stays open for a moment, because opening it takes longer than many reads.
 */
import { lowerThreadPriority } from "../../background_thread.ts";
import { StoreUnavailable } from "../errors.ts";
import { BudgetExceeded } from "./budget.ts";
import { Busy, Connection, inodeOf } from "./connection.ts";
import { sql } from "./fragment.ts";
import { clearPatternCache } from "./re2.ts";
import { readRowScan, readScan } from "./scan.ts";
import {
  END,
  type ScanEnded,
  type ScanOrder,
  type ScanOutcome,
  type ScanStart,
  STOP_INDEX,
} from "./scan_signals.ts";

/** The global scope of a worker, which the type checker takes for that of a page. */
const thread = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ScanStart | ScanOrder | typeof END>) => void) | null;
  postMessage(outcome: ScanOutcome | ScanEnded): void;
};

/** Maximum cost of a pattern: at most two seconds, during which a stop is not noticed. */
const MATCH_COST_MAX = 10_000_000;

/** Milliseconds until a file is reopened: SQLite reads planner statistics on opening. */
const OPEN_MS = 500;
const FILES_OPEN_MAX = 8;

interface OpenFile extends Disposable {
  readonly db: Connection;
  /** Inode of the open file, because another file may have taken its path. */
  readonly inode: number | null;
}

let signals: Int32Array = new Int32Array(new SharedArrayBuffer(4));
const files = new Map<string, OpenFile>();

thread.onmessage = ({ data }) => {
  if (data === END) return end();
  if ("number" in data) return thread.postMessage(execute(data));
  signals = data.signals;
  if (data.isBackground) lowerThreadPriority();
};

function end(): void {
  for (const path of files.keys()) close(path);
  thread.postMessage({ kind: "ended" });
}

function close(path: string): void {
  files.get(path)?.[Symbol.dispose]();
  files.delete(path);
}

/** Returns an open connection to a file. Throws `StoreUnavailable`. */
function connectionTo(path: string): Connection {
  const inode = inodeOf(path);
  const known = files.get(path);
  if (known !== undefined && known.inode === inode) return known.db;
  close(path);
  if (files.size === FILES_OPEN_MAX) close(files.keys().next().value!);
  const db = new Connection(path, "normal");
  db.run(sql("pragma query_only = on"));
  db.mapFile();
  const timer = setTimeout(() => close(path), OPEN_MS);
  const dispose = () => {
    clearTimeout(timer);
    db.close();
  };
  files.set(path, { db, inode, [Symbol.dispose]: dispose });
  return db;
}

function execute({ number, path, scan, limitMs }: ScanOrder): ScanOutcome {
  const limits = {
    until: performance.now() + limitMs,
    matchCostMax: MATCH_COST_MAX,
    stop: () => Atomics.load(signals, STOP_INDEX) === number,
  };
  try {
    const db = connectionTo(path);
    const scanned = "rows" in scan ? readRowScan(db, scan, limits) : readScan(db, scan, limits);
    return { kind: "read", scanned };
  } catch (error) {
    if (error instanceof BudgetExceeded) return { kind: "stopped" };
    close(path);
    return {
      kind: "failed",
      unavailable: error instanceof StoreUnavailable || error instanceof Busy,
      message: (error as Error).message,
    };
  } finally {
    clearPatternCache();
  }
}
