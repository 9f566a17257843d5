/**
 * The other side of the ratios: `Deno.serve` and nothing else.
 *
 *     bare.ts same FILE     answers the recorded response in FILE
 *     bare.ts insert FOLDER inserts each body into an SQLite table of its own, fully durable
 */
import { DatabaseSync } from "node:sqlite";

export interface Recorded {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

if (import.meta.main) {
  const [mode, path] = Deno.args;
  Deno.serve({
    hostname: "127.0.0.1",
    port: Number(Deno.env.get("PORT")),
    onListen() {},
  }, mode === "same" ? same(path!) : insert(path!));
}

function same(path: string): () => Response {
  const { headers, body } = JSON.parse(Deno.readTextFileSync(path)) as Recorded;
  const bytes = new TextEncoder().encode(body);
  const pairs = headers.map(([name, value]): [string, string] => [name, value]);
  return () => new Response(bytes, { headers: pairs });
}

function insert(folder: string): (request: Request) => Promise<Response> {
  const db = new DatabaseSync(`${folder}/bare.db`);
  db.exec("pragma journal_mode = wal; pragma synchronous = full");
  db.exec("create table docs(id text primary key, doc text not null) strict");
  const statement = db.prepare("insert into docs(id, doc) values(?, ?)");
  let id = 0;
  return async (request) => {
    if (request.method === "POST") {
      statement.run((id++).toString(16).padStart(24, "0"), await request.text());
    }
    return new Response('{"success":true}', { status: 201 });
  };
}
