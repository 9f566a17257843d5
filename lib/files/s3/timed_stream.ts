/**
 * A stream that fails when bytes that somebody waits for do not come within `ms`. How slowly it is
 * read does not matter.
 */
export function timedStream(
  source: ReadableStream<Uint8Array>,
  ms: number,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`No bytes came within ${ms} ms`)), ms);
      try {
        const { done, value } = await Promise.race([reader.read(), late]);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        // The source may never settle.
        reader.cancel(error).catch(() => {});
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}
