import type { Soon } from "../soon.ts";

/** Counts the requests that are being answered, so that a stopping server can wait for them. */
export interface Flight {
  /** Whether no more are taken. */
  readonly isLanding: boolean;
  /** Counts an answer until it is made. */
  carry<T>(answer: Soon<T>): Soon<T>;
  /** Takes no more; resolves when all are answered. */
  land(): Promise<void>;
}

export function createFlight(): Flight {
  const landed = Promise.withResolvers<void>();
  let isLanding = false;
  let aloft = 0;

  function end(): void {
    aloft--;
    if (isLanding && aloft === 0) landed.resolve();
  }

  return {
    get isLanding() {
      return isLanding;
    },
    carry(answer) {
      if (!(answer instanceof Promise)) return answer;
      aloft++;
      answer.then(end, end);
      return answer;
    },
    land() {
      isLanding = true;
      if (aloft === 0) landed.resolve();
      return landed.promise;
    },
  };
}
