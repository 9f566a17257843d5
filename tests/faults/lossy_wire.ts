/**
 * The way to a MongoDB, on which answers get lost: the server does what it is asked, and nobody
 * hears of it. Fail points cannot do that, they fail a command before it is run. Who asks is told of
 * each command as it was sent.
 */

import { BSON, type Document } from "mongodb";

export interface LossyWire extends AsyncDisposable {
  /** In place of the server's, and for clients that look for no other members. */
  readonly url: string;
  /** Loses the next so many answers to a command, and the connections with them. */
  lose(command: string, times: number): void;
  /** How many answers are still to be lost. */
  left(): number;
}

const HOST = "127.0.0.1";
const HEADER_BYTES = 16;
/** How a connection begins, before it is known what the server speaks. */
const OP_QUERY = 2004;
const OP_MSG = 2013;
/** Behind the header: flags, the kind of the first section. */
const BODY_AT = HEADER_BYTES + 4 + 1;
/** The size and type of what begins. */
const NAME_AT = BODY_AT + 4 + 1;

/**
 * Listens on the loopback address, and passes on to a port there.
 * @param heard Is told of each command, with the documents that were sent beside it as its members.
 */
export function startLossyWire(port: number, heard?: (command: Document) => void): LossyWire {
  const listener = Deno.listen({ hostname: HOST, port: 0 });
  const open = new Set<Deno.Conn>();
  const passing: Promise<unknown>[] = [];
  let losing = { command: "", times: 0 };

  const hangUp = (...ends: Deno.Conn[]) => {
    for (const end of ends) if (open.delete(end)) end.close();
  };

  async function pass(client: Deno.Conn): Promise<void> {
    open.add(client);
    const server = await Deno.connect({ hostname: HOST, port });
    open.add(server);
    // On one connection the next question waits for the answer to the last.
    let asked: string | null = null;
    const questions = new Questions((message) => {
      asked = kindOf(message) === OP_MSG ? nameIn(message) : null;
      if (heard !== undefined) heard(commandIn(message));
    });
    const there = pump(client, server, (bytes) => {
      questions.read(bytes);
      return true;
    });
    const back = pump(server, client, () => {
      if (losing.times === 0 || asked !== losing.command) return true;
      losing.times--;
      return false;
    });
    await Promise.race([there, back]);
    hangUp(client, server);
    await Promise.all([there, back]);
  }

  const accepting = (async () => {
    for await (const client of listener) {
      passing.push(pass(client).catch(() => hangUp(client)));
    }
  })();
  return {
    url: `mongodb://${HOST}:${listener.addr.port}/?directConnection=true`,
    lose: (command, times) => void (losing = { command, times }),
    left: () => losing.times,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      hangUp(...open);
      await Promise.all(passing);
    },
  };
}

/** Until one of both ends closes, or `mayPass` says no. */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  mayPass: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const chunk = new Uint8Array(65_536);
  try {
    for (;;) {
      const size = await from.read(chunk);
      if (size === null || !mayPass(chunk.subarray(0, size))) return;
      for (let at = 0; at < size;) at += await to.write(chunk.subarray(at, size));
    }
  } catch {
    // An end was closed.
  }
}

/** Cuts what a client sends into messages. */
class Questions {
  readonly #asked: (message: Uint8Array) => void;
  #bytes = new Uint8Array();

  constructor(asked: (message: Uint8Array) => void) {
    this.#asked = asked;
  }

  read(bytes: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + bytes.length);
    joined.set(this.#bytes);
    joined.set(bytes, this.#bytes.length);
    this.#bytes = joined;
    while (this.#bytes.length >= HEADER_BYTES) {
      const length = int32(this.#bytes, 0);
      if (this.#bytes.length < length) return;
      this.#asked(this.#bytes.subarray(0, length));
      this.#bytes = this.#bytes.slice(length);
    }
  }
}

const int32 = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getInt32(at, true);

const kindOf = (message: Uint8Array): number => int32(message, 12);

const textAt = (message: Uint8Array, at: number): string =>
  new TextDecoder().decode(message.subarray(at, message.indexOf(0, at)));

const nameIn = (message: Uint8Array): string => textAt(message, NAME_AT);

/** Throws where it is neither of what the driver sends. */
function commandIn(message: Uint8Array): Document {
  const kind = kindOf(message);
  if (kind === OP_QUERY) {
    // Behind the flags the name of the collection, how many to skip and how many to return.
    return documentAt(message, message.indexOf(0, HEADER_BYTES + 4) + 1 + 8);
  }
  if (kind !== OP_MSG) throw new Error(`A client sent a message of kind ${kind}`);
  const command = documentAt(message, BODY_AT);
  let at = BODY_AT + int32(message, BODY_AT);
  while (at < message.length) {
    // Documents beside the command: their kind and size, the name of the member that they are.
    const end = at + 1 + int32(message, at + 1);
    const member = textAt(message, at + 5);
    const documents: Document[] = [];
    for (at += 5 + member.length + 1; at < end; at += int32(message, at)) {
      documents.push(documentAt(message, at));
    }
    command[member] = documents;
  }
  return command;
}

const documentAt = (message: Uint8Array, at: number): Document =>
  BSON.deserialize(message.subarray(at, at + int32(message, at)));
