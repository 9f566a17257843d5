/**
 * Reads documents by id at a steady pace and reports the duration of each read. Runs in a separate
 * process, so that the sender does not delay it.
 */

/** Instructions on standard input. */
export interface Reading {
  readonly urls: readonly string[];
  readonly key: string;
  readonly everyMs: number;
}

/** Time in milliseconds since 1970, milliseconds until the response, and status (0 without one). */
export type ReadSample = readonly [at: number, ms: number, status: number];

const REPORT_EVERY_MS = 1000;

if (import.meta.main) {
  const { urls, key, everyMs }: Reading = await new Response(Deno.stdin.readable).json();
  let samples: ReadSample[] = [];
  setInterval(async () => {
    const began = performance.now();
    const status = await read(urls[Math.floor(Math.random() * urls.length)]!, key);
    samples.push([performance.timeOrigin + began, performance.now() - began, status]);
  }, everyMs);
  setInterval(() => {
    console.log(JSON.stringify(samples));
    samples = [];
  }, REPORT_EVERY_MS);
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
