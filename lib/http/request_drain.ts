/** Counts the requests in flight, so that a stopping server can wait for them. */
export interface RequestDrain {
  readonly isDraining: boolean;
  /** Counts a request until its answer settles. */
  track<T>(answer: Promise<T>): Promise<T>;
  /** Refuses new requests and resolves when every request in flight has been answered. */
  drain(): Promise<void>;
}

export function createRequestDrain(): RequestDrain {
  const drained = Promise.withResolvers<void>();
  let isDraining = false;
  let inFlight = 0;

  function end(): void {
    inFlight--;
    if (isDraining && inFlight === 0) drained.resolve();
  }

  return {
    get isDraining() {
      return isDraining;
    },
    track(answer) {
      inFlight++;
      answer.then(end, end);
      return answer;
    },
    drain() {
      isDraining = true;
      if (inFlight === 0) drained.resolve();
      return drained.promise;
    },
  };
}
