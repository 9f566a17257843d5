export interface Progress {
  /** The returned function gets numbers of items of a part such as `collections/posts`. */
  forPart(what: string): (count: number) => void;
}

export const NO_PROGRESS: Progress = { forPart: () => () => {} };
