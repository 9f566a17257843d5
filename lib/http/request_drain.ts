/** Counts the requests that are being answered, so that a stopping server can wait for them. */
export interface RequestDrain {
  /** Whether no more are taken. */
  readonly isDraining: boolean;
  /** Counts an answer until it is made. */
  track<T>(answer: Promise<T>): Promise<T>;
  /** Takes no more; resolves when all are answered. */
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
