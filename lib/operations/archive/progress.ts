/** Is told how far an export or an import has come. */
export interface Progress {
  /** @param what `users`, `collections/posts`, `files`. What it resolves to is told of each step. */
  of(what: string): (count: number) => void;
}

export const NO_PROGRESS: Progress = { of: () => () => {} };
