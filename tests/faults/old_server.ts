/**
 * A fake MongoDB server older than 6.0, because no such server is available. It answers only the
 * handshake. It is the only fake server of these suites.
 */

import { BSON } from "mongodb";

export interface OldServer extends AsyncDisposable {
  readonly url: string;
}

/** Wire versions that MongoDB's versions report. The driver itself refuses the older one. */
export const WIRE_VERSIONS = { "5.0": 13, "3.6": 6 } as const;

const HEADER_BYTES = 16;
/** Opcode number of a reply in the legacy protocol. */
const OP_REPLY = 1;
/** Opcode number of a query in the legacy protocol. */
const OP_QUERY = 2004;
/** Opcode number of the current protocol. */
const OP_MSG = 2013;

export function startOldServer(maxWireVersion: number): OldServer {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  const open = new Set<Deno.Conn>();
  const hello = BSON.serialize({
    ok: 1,
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    setName: "rs0",
    hosts: [host],
    me: host,
    primary: host,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    minWireVersion: 0,
    maxWireVersion,
  });
  const answering: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      // A client that disconnects causes an error.
      answering.push(answerAll(connection, hello).catch(() => {}));
    }
  })();
  return {
    url: `mongodb://${host}/corbel?replicaSet=rs0`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of open) connection.close();
      await Promise.all(answering);
    },
  };
}

async function answerAll(connection: Deno.Conn, hello: Uint8Array): Promise<void> {
  let buffered = new Uint8Array();
  const chunk = new Uint8Array(16_384);
  for (;;) {
    const size = await connection.read(chunk);
    if (size === null) return;
    const joined = new Uint8Array(buffered.length + size);
    joined.set(buffered);
    joined.set(chunk.subarray(0, size), buffered.length);
    buffered = joined;
    while (buffered.length >= HEADER_BYTES) {
      const view = new DataView(buffered.buffer, buffered.byteOffset);
      const length = view.getInt32(0, true);
      if (buffered.length < length) break;
      await write(connection, reply(view.getInt32(4, true), view.getInt32(12, true), hello));
      buffered = buffered.slice(length);
    }
  }
}

function reply(requestId: number, operation: number, document: Uint8Array): Uint8Array {
  const isLegacy = operation === OP_QUERY;
  const head = HEADER_BYTES + (isLegacy ? 20 : 5);
  const bytes = new Uint8Array(head + document.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, bytes.length, true);
  view.setInt32(8, requestId, true);
  view.setInt32(12, isLegacy ? OP_REPLY : OP_MSG, true);
  if (isLegacy) view.setInt32(HEADER_BYTES + 16, 1, true); // The number of documents.
  bytes.set(document, head);
  return bytes;
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
