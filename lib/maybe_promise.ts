/** A value that may be cached, so that callers await only a promise. */
export type MaybePromise<T> = T | Promise<T>;
