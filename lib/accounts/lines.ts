/** Lets those of one kind in one after the other, in the order in which they come. */
export interface Lines {
  inLine<T>(kind: string, work: () => Promise<T>): Promise<T>;
}

export function createLines(): Lines {
  const lasts = new Map<string, Promise<unknown>>();
  return {
    async inLine(kind, work) {
      const before = lasts.get(kind) ?? Promise.resolve();
      const own = before.then(work);
      const last = own.catch(() => {});
      lasts.set(kind, last);
      try {
        return await own;
      } finally {
        if (lasts.get(kind) === last) lasts.delete(kind);
      }
    },
  };
}
