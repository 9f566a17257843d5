/**
 * Reads documents by their ids at an even pace, whatever is answered, and tells how long each took.
 * A process of its own: what the sender of other requests does takes none of its time.
 */

/** What it is told on its standard input. */
export interface Reading {
  readonly urls: readonly string[];
  readonly key: string;
  readonly everyMs: number;
}

/** When it was sent, in milliseconds since 1970, how long its answer took, and its status; 0 for none. */
export type ReadSample = readonly [at: number, ms: number, status: number];

const TOLD_EVERY_MS = 1000;

if (import.meta.main) {
  const { urls, key, everyMs }: Reading = await new Response(Deno.stdin.readable).json();
  let samples: ReadSample[] = [];
  setInterval(async () => {
    const began = performance.now();
    const status = await read(urls[Math.floor(Math.random() * urls.length)]!, key);
    samples.push([performance.timeOrigin + began, performance.now() - began, status]);
  }, everyMs);
  // A line for each second.
  setInterval(() => {
    console.log(JSON.stringify(samples));
    samples = [];
  }, TOLD_EVERY_MS);
}

async function read(url: string, key: string): Promise<number> {
  try {
    const response = await fetch(url, { headers: { "x-api-key": key } });
    await response.body?.pipeTo(new WritableStream());
    return response.status;
  } catch {
    return 0;
  }
}
