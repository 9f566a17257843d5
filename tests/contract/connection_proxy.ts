/** A proxy between a client and its server that may cut connections. */

/** The fate of a request: "pass" forwards it, and "cut" closes its connection. */
export type RequestFate = "pass" | "cut";

export interface ConnectionProxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, which replaces the server's origin. */
  readonly origin: string;
  clients(): number;
}

const METHOD = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/;

/**
 * Starts a proxy in front of a plain HTTP server.
 * @param fateOf Called with the head of each request before it is forwarded.
 */
export function startProxy(
  target: string,
  fateOf: (head: string) => RequestFate | Promise<RequestFate>,
): ConnectionProxy {
  const { hostname, port } = new URL(target);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const carrying: Promise<void>[] = [];

  async function carry(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname, port: Number(port) });
    for (const connection of [client, server]) open.add(connection);
    const cut = () => {
      for (const connection of [client, server]) {
        if (open.delete(connection)) connection.close();
      }
    };
    const back = pump(server, (bytes) => writeAll(client, bytes)).finally(cut);
    const forth = pump(client, async (bytes) => {
      const head = new TextDecoder("latin1").decode(bytes);
      const fate = METHOD.test(head) ? await fateOf(head) : "pass";
      if (fate === "pass") await writeAll(server, bytes);
      else cut();
    }).finally(cut);
    await Promise.all([back, forth]);
  }

  const accepting = (async () => {
    for await (const client of listener) carrying.push(carry(client));
  })();
  return {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    clients: () => open.size / 2,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of open) connection.close();
      open.clear();
      await Promise.all(carrying);
    },
  };
}

async function pump(from: Deno.Conn, use: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  const buffer = new Uint8Array(65_536);
  try {
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) return;
      await use(buffer.slice(0, count));
    }
  } catch {
    // One end was closed.
  }
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}
