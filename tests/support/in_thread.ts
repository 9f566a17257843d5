/**
 * Runs a function in a new worker and resolves to its result.
 *
 * @param module Address of a module whose exports are passed to the function.
 * @param work Must not refer to anything outside of itself.
 */
export async function inThread<Exports, Given, T>(
  module: string,
  work: (exports: Exports, given: Given) => Promise<T>,
  given: Given,
): Promise<T> {
  const script = `import * as exports from ${JSON.stringify(module)};
    onmessage = async ({ data }) => postMessage(await (${work})(exports, data));`;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const thread = new Worker(url, { type: "module" });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  thread.onmessage = ({ data }: MessageEvent<T>) => resolve(data);
  thread.onerror = (event) => reject(new Error(event.message));
  thread.postMessage(given);
  try {
    return await promise;
  } finally {
    thread.terminate();
    URL.revokeObjectURL(url);
  }
}
