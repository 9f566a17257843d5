/**
 * A proxy to MongoDB that loses responses: the server runs the command, and the client gets no
 * answer. Fail points cannot do that, because they fail a command before it runs. The proxy reports
 * each command that was sent.
 */

import { BSON, type Document } from "mongodb";

export interface LossyWire extends AsyncDisposable {
  /** Address that replaces the server's, for clients that do not look for other members. */
  readonly url: string;
  /** Loses the next `times` responses to a command and closes their connections. */
  lose(command: string, times: number): void;
  /** Returns how many responses are still to be lost. */
  left(): number;
}

const HOST = "127.0.0.1";
const HEADER_BYTES = 16;
/** Opcode number of a connection's first message, before the server's protocol is known. */
const OP_QUERY = 2004;
const OP_MSG = 2013;
/** Position of the body after the header, the flags and the kind of the first section, in bytes. */
const BODY_AT = HEADER_BYTES + 4 + 1;
/** Position of the first member's name after the size and type, in bytes. */
const NAME_AT = BODY_AT + 4 + 1;

/**
 * Listens on the loopback address and forwards connections to a port there.
 * @param onCommand Called with each command. Documents that were sent in separate sections are included
 * as its members.
 */
export function startLossyWire(port: number, onCommand?: (command: Document) => void): LossyWire {
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
    // A connection handles one request at a time.
    let currentCommand: string | null = null;
    const splitter = new MessageSplitter((message) => {
      currentCommand = kindOf(message) === OP_MSG ? nameIn(message) : null;
      if (onCommand !== undefined) onCommand(commandIn(message));
    });
    const toServer = pump(client, server, (bytes) => {
      splitter.read(bytes);
      return true;
    });
    const toClient = pump(server, client, () => {
      if (losing.times === 0 || currentCommand !== losing.command) return true;
      losing.times--;
      return false;
    });
    await Promise.race([toServer, toClient]);
    hangUp(client, server);
    await Promise.all([toServer, toClient]);
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

/** Copies bytes until either end closes or `mayPass` returns false. */
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
    // One end was closed.
  }
}

class MessageSplitter {
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

/** Returns the command of a message. Throws if the message is of an unknown kind. */
function commandIn(message: Uint8Array): Document {
  const kind = kindOf(message);
  if (kind === OP_QUERY) {
    // After the flags: the name of the collection, the number to skip and the number to return.
    return documentAt(message, message.indexOf(0, HEADER_BYTES + 4) + 1 + 8);
  }
  if (kind !== OP_MSG) throw new Error(`A client sent a message of kind ${kind}`);
  const command = documentAt(message, BODY_AT);
  let at = BODY_AT + int32(message, BODY_AT);
  while (at < message.length) {
    // Documents in separate sections: kind, size, and the name of their member.
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
