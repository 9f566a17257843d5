/**
 * The way to a MongoDB, on which answers get lost: the server does what it is asked, and nobody
 * hears of it. Fail points cannot do that, they fail a command before it is run.
 */

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
const OP_MSG = 2013;
/** Behind the header: flags, the kind of the first section, the size and type of what begins. */
const NAME_AT = HEADER_BYTES + 4 + 1 + 4 + 1;

/** Listens on the loopback address, and passes on to a port there. */
export function startLossyWire(port: number): LossyWire {
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
    const questions = new Questions((command) => asked = command);
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

/** Reads the names of commands out of what a client sends. */
class Questions {
  readonly #asked: (command: string | null) => void;
  #bytes = new Uint8Array();

  constructor(asked: (command: string | null) => void) {
    this.#asked = asked;
  }

  read(bytes: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + bytes.length);
    joined.set(this.#bytes);
    joined.set(bytes, this.#bytes.length);
    this.#bytes = joined;
    while (this.#bytes.length >= HEADER_BYTES) {
      const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset);
      const length = view.getInt32(0, true);
      if (this.#bytes.length < length) return;
      const isCommand = view.getInt32(12, true) === OP_MSG;
      this.#asked(isCommand ? nameIn(this.#bytes.subarray(0, length)) : null);
      this.#bytes = this.#bytes.slice(length);
    }
  }
}

const nameIn = (message: Uint8Array): string =>
  new TextDecoder().decode(message.subarray(NAME_AT, message.indexOf(0, NAME_AT)));
