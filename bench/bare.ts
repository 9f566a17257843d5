/**
 * Bare servers to compare with single writes and files: only `Deno.serve`.
 *
 *     bare.ts insert FOLDER inserts each body into an SQLite table of its own, fully durable;
 *                           a GET answers the last
 *     bare.ts put FOLDER    streams each body to a file there, with the same durability
 *     bare.ts get FILE      answers the file, streamed
 *     bare.ts hash N        hashes each body as a password, N concurrently
 *     bare.ts broadcast     sends each body that is posted to an address to its listeners
 */
import { DatabaseSync } from "node:sqlite";

type Serve = (request: Request) => Response | Promise<Response>;

const MODES: Readonly<Record<string, (path: string) => Serve>> = {
  insert,
  put,
  get,
  hash,
  broadcast,
};

if (import.meta.main) {
  const [mode, path] = Deno.args;
  Deno.serve({
    hostname: "127.0.0.1",
    port: Number(Deno.env.get("PORT")),
    onListen() {},
  }, MODES[mode!]!(path!));
}

function insert(folder: string): (request: Request) => Promise<Response> {
  const db = new DatabaseSync(`${folder}/bare.db`);
  db.exec("pragma journal_mode = wal; pragma synchronous = full");
  db.exec("create table docs(id text primary key, doc text not null) strict");
  const statement = db.prepare("insert into docs(id, doc) values(?, ?)");
  const last = db.prepare("select doc from docs order by id desc limit 1");
  let id = 0;
  return async (request) => {
    if (request.method !== "POST") {
      return new Response(last.get()?.doc as string | undefined ?? "");
    }
    statement.run((id++).toString(16).padStart(24, "0"), await request.text());
    return new Response('{"success":true}', { status: 201 });
  };
}

function put(folder: string): Serve {
  let id = 0;
  return async ({ method, body }) => {
    if (method === "PUT" && body !== null) {
      const [partial, complete] = [`${folder}/partial${id}`, `${folder}/whole${id++ % 100}`];
      using file = await Deno.open(partial, { write: true, createNew: true });
      for await (const chunk of body) {
        for (let at = 0; at < chunk.length;) at += file.writeSync(chunk.subarray(at));
      }
      await file.syncData();
      await Deno.rename(partial, complete);
      using opened = await Deno.open(folder);
      await opened.sync();
    }
    return new Response('{"success":true}');
  };
}

function hash(atOnce: string): Serve {
  const loading = import("@/lib/credentials/passwords.ts")
    .then(({ createPasswords }) => createPasswords(Number(atOnce)));
  return async (request) => {
    if (request.method !== "POST") return new Response();
    const passwords = await loading;
    await passwords.hash(await request.text());
    return new Response('{"success":true}');
  };
}

function get(path: string): Serve {
  return async () => new Response((await Deno.open(path)).readable);
}

function broadcast(): Serve {
  const encoder = new TextEncoder();
  const listeners = new Map<string, ReadableStreamDefaultController<Uint8Array>[]>();
  return async (request) => {
    const address = new URL(request.url).pathname.replace(/\/live$/, "");
    const all = listeners.get(address) ?? [];
    listeners.set(address, all);
    if (request.method === "POST") {
      const event = encoder.encode(`event: change\ndata: ${await request.text()}\n\n`);
      for (const one of all) one.enqueue(event);
      return new Response('{"success":true}', { status: 201 });
    }
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        all.push(controller);
        controller.enqueue(encoder.encode("event: list\ndata: {}\n\n"));
      },
    });
    return new Response(body);
  };
}
