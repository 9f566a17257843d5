/** What is there already, or will be. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value: at once where it is there. What a process remembers of a request is then
 * found without giving the turn away, and a request that needs nothing else is answered in one go.
 * Throws at once, or rejects later, as the value does.
 */
export function after<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
