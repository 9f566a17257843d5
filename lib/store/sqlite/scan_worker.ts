/**
 * A thread in which reads run that look at many rows, one at a time. Between two of them nothing is
 * locked; a file stays open for a moment, because opening it takes longer than many a read.
 */
import { giveWay } from "../../background_thread.ts";
import { StoreUnavailable } from "../errors.ts";
import { BudgetExceeded } from "./budget.ts";
import { Busy, Connection, inodeOf } from "./connection.ts";
import { sql } from "./fragment.ts";
import { forgetPatterns } from "./re2.ts";
import { readRowScan, readScan } from "./scan.ts";
import {
  END,
  type ScanEnded,
  type ScanOrder,
  type ScanOutcome,
  type ScanStart,
  STOP,
} from "./scan_signals.ts";

/** The scope of a worker, which the compiler takes for a page's. */
const thread = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ScanStart | ScanOrder | typeof END>) => void) | null;
  postMessage(outcome: ScanOutcome | ScanEnded): void;
};

/** Two seconds at most, for a text made for its pattern: so long it may not hear of its end. */
const MATCH_COST_MAX = 10_000_000;

/** From being opened: SQLite plans by the statistics that it read then. */
const OPEN_MS = 500;
const OPEN_MAX = 8;

interface OpenFile extends Disposable {
  readonly db: Connection;
  /** The path may stand for another file by now. */
  readonly inode: number | null;
}

let signals: Int32Array = new Int32Array(new SharedArrayBuffer(4));
const files = new Map<string, OpenFile>();

thread.onmessage = ({ data }) => {
  if (data === END) return end();
  if ("number" in data) return thread.postMessage(carriedOut(data));
  signals = data.signals;
  if (data.givesWay) giveWay();
};

function end(): void {
  for (const path of files.keys()) close(path);
  thread.postMessage({ kind: "ended" });
}

function close(path: string): void {
  files.get(path)?.[Symbol.dispose]();
  files.delete(path);
}

/** Throws `StoreUnavailable`. */
function connectionTo(path: string): Connection {
  const inode = inodeOf(path);
  const known = files.get(path);
  if (known !== undefined && known.inode === inode) return known.db;
  close(path);
  if (files.size === OPEN_MAX) close(files.keys().next().value!);
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

function carriedOut({ number, path, scan, limitMs }: ScanOrder): ScanOutcome {
  const allowance = {
    until: performance.now() + limitMs,
    matchCostMax: MATCH_COST_MAX,
    stop: () => Atomics.load(signals, STOP) === number,
  };
  try {
    const db = connectionTo(path);
    const scanned = "rows" in scan
      ? readRowScan(db, scan, allowance)
      : readScan(db, scan, allowance);
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
    forgetPatterns();
  }
}
