/**
 * A thread in which reads run that look at many rows. It does one at a time, on a connection that
 * is closed behind it, so that between two of them nothing is open or locked.
 */
import { giveWay } from "../../background_thread.ts";
import { StoreUnavailable } from "../errors.ts";
import { BudgetExceeded } from "./budget.ts";
import { Busy, Connection } from "./connection.ts";
import { sql } from "./fragment.ts";
import { forgetPatterns } from "./re2.ts";
import { readRowScan, readScan } from "./scan.ts";
import { type ScanOrder, type ScanOutcome, type ScanStart, STOP } from "./scan_signals.ts";

/** The scope of a worker, which the compiler takes for a page's. */
const thread = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ScanStart | ScanOrder>) => void) | null;
  postMessage(outcome: ScanOutcome): void;
};

/** Two seconds at most, for a text made for its pattern: so long it may not hear of its end. */
const MATCH_COST_MAX = 10_000_000;

let signals: Int32Array = new Int32Array(new SharedArrayBuffer(4));

thread.onmessage = ({ data }) => {
  if ("number" in data) return thread.postMessage(carriedOut(data));
  signals = data.signals;
  if (data.givesWay) giveWay();
};

function carriedOut({ number, path, scan, limitMs }: ScanOrder): ScanOutcome {
  const allowance = {
    until: performance.now() + limitMs,
    matchCostMax: MATCH_COST_MAX,
    stop: () => Atomics.load(signals, STOP) === number,
  };
  try {
    const db = new Connection(path, "normal");
    try {
      db.run(sql("pragma query_only = on"));
      db.mapFile();
      const scanned = "rows" in scan
        ? readRowScan(db, scan, allowance)
        : readScan(db, scan, allowance);
      return { kind: "read", scanned };
    } finally {
      db.close();
      forgetPatterns();
    }
  } catch (error) {
    if (error instanceof BudgetExceeded) return { kind: "stopped" };
    return {
      kind: "failed",
      unavailable: error instanceof StoreUnavailable || error instanceof Busy,
      message: (error as Error).message,
    };
  }
}
