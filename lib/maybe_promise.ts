/** What is remembered already, or has to be read first: to be awaited by whoever wants it. */
export type MaybePromise<T> = T | Promise<T>;
