import assert from "node:assert/strict";
import { PictureQueue } from "./picture_queue.ts";

const job = (projectId: string, ...clients: string[]) => ({ projectId, clients });

/** Takes all jobs and returns the project and clients of each, in order. */
function order(queue: PictureQueue<ReturnType<typeof job>>): string[] {
  const taken: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) {
    taken.push(`${next.projectId}${next.clients}`);
  }
  return taken;
}

Deno.test("PictureQueue lets no project with many jobs delay other projects", () => {
  const queue = new PictureQueue<ReturnType<typeof job>>();
  for (let i = 0; i < 20; i++) queue.add(job("busy", `${i}`));
  assert.equal(queue.next()!.projectId, "busy");
  queue.add(job("A", "x"));
  queue.add(job("B", "y"));
  assert.deepEqual(order(queue).slice(0, 3), ["Ax", "By", "busy1"]);
});

Deno.test("PictureQueue lets no client with jobs of many projects delay other clients", () => {
  const queue = new PictureQueue<ReturnType<typeof job>>();
  for (let i = 0; i < 20; i++) queue.add(job(`${i}`, "busy"));
  assert.deepEqual(queue.next(), job("0", "busy"));
  queue.add(job("7", "x"));
  queue.add(job("9", "x"));
  assert.deepEqual(order(queue).slice(0, 2), ["7x", "1busy"]);
});

Deno.test("PictureQueue ranks a shared job by its earliest client", () => {
  const queue = new PictureQueue<ReturnType<typeof job>>();
  queue.add(job("A", "busy"));
  queue.next();
  const shared = job("B", "busy");
  queue.add(job("C", "busy"));
  queue.add(shared);
  shared.clients.push("x");
  assert.deepEqual(order(queue), ["Bbusy,x", "Cbusy"]);
});

Deno.test("PictureQueue returns jobs of one project and client in order", () => {
  const queue = new PictureQueue<ReturnType<typeof job>>();
  const jobs = [job("A", "x"), job("A", "x"), job("A", "x")];
  for (const one of jobs) queue.add(one);
  assert.equal(queue.remove(jobs[1]!), true);
  assert.equal(queue.remove(jobs[1]!), false);
  assert.equal(queue.next(), jobs[0]);
  assert.equal(queue.next(), jobs[2]);
  assert.equal(queue.next(), undefined);
});
