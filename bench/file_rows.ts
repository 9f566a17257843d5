import { confirms, gets, puts, smallGets, uploadMemory } from "./files.ts";
import type { Row } from "./row.ts";

/** Files kept in a folder. */
export const FILE_ROWS: readonly Row[] = [
  {
    name: "put_vs_raw",
    what: "10 MB uploads over a bare server that streams them to a file with the same fsyncs",
    target: 0.8,
    atLeast: true,
    measure: puts,
  },
  {
    name: "get_vs_raw",
    what: "10 MB downloads over a bare server that streams the same file",
    target: 0.8,
    atLeast: true,
    measure: gets,
  },
  {
    name: "get_small_vs_raw",
    what: "20 KB downloads over a bare server that reads the same file",
    target: null,
    atLeast: true,
    measure: smallGets,
  },
  {
    name: "upload_rss",
    what: "growth of resident memory, in MB, by 32 uploads of 10 MB at once",
    target: 64,
    atLeast: false,
    measure: uploadMemory,
  },
  {
    name: "confirm_per_s",
    what: "uploads confirmed, per second",
    target: null,
    atLeast: true,
    measure: async (setting) => (await confirms(setting)).perSecond,
  },
  {
    name: "confirm_vs_write",
    what: "the same over a bare server that does one durable write per request",
    target: 0.3,
    atLeast: true,
    measure: async (setting) => (await confirms(setting)).ratio,
  },
];
