/** Work in a thread of its own, as one of several that serve does it. */

/**
 * Resolves to what a function resolves to, in a thread that ends with it.
 *
 * @param module Its address; the function is given its exports.
 * @param work Sees nothing around it.
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
