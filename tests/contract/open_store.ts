import type { Engine } from "@/lib/store/port.ts";
import { MongoEngine } from "@/lib/store/mongo/engine.ts";
import { SqliteEngine } from "@/lib/store/sqlite/engine.ts";

/** Functions by which a second process opens the store of a test, by the word before the colon. */
const OPENERS: Readonly<Record<string, (rest: string) => Promise<Engine>>> = {
  // No test cuts the power, so commits need not wait for the disk.
  sqlite: (folder) => SqliteEngine.open({ folder, sync: "normal" }),
  mongodb: (rest) => {
    const url = `mongodb:${rest}`;
    const prefix = new URL(url).pathname.slice(1);
    return MongoEngine.open({ url, prefix, queryTimeLimitMs: 5_000 });
  },
};

export function openStore(address: string): Promise<Engine> {
  const colon = address.indexOf(":");
  const open = OPENERS[address.slice(0, colon)];
  if (open === undefined) throw new Error(`No driver can open "${address}"`);
  return open(address.slice(colon + 1));
}
