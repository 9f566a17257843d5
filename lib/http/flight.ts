/** Counts the requests that are being answered, so that a stopping server can wait for them. */
export interface Flight {
  /** Whether no more are taken. */
  readonly isLanding: boolean;
  /** Counts an answer until it is made. */
  carry<T>(answer: Promise<T>): Promise<T>;
  /** Takes no more; resolves when all are answered. */
  land(): Promise<void>;
}

export function createFlight(): Flight {
  const landed = Promise.withResolvers<void>();
  let isLanding = false;
  let aloft = 0;
  return {
    get isLanding() {
      return isLanding;
    },
    async carry(answer) {
      aloft++;
      try {
        return await answer;
      } finally {
        aloft--;
        if (isLanding && aloft === 0) landed.resolve();
      }
    },
    land() {
      isLanding = true;
      if (aloft === 0) landed.resolve();
      return landed.promise;
    },
  };
}
