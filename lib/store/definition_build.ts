/**
 * What a change of a definition takes that is long, made ahead of it: others read and write
 * meanwhile, and what they write is kept up with. Disposing undoes what no
 * `Transaction.define` has taken over, but for indexes that are undone by the next.
 */
export interface DefinitionBuild extends AsyncDisposable {
  /** Throws `Outdated` where the definition has changed meanwhile, or is gone. */
  run(): Promise<void>;
  /**
   * Ids of records that were written since it was begun, each once; at most so many. Left out by an
   * engine that does not know, whose records are compared while nobody writes them.
   */
  written?(limit: number): Promise<string[]>;
}

/** How far a build has come. */
export interface BuildProgress {
  /** The definition's name. */
  readonly kind: string;
  /** Records that are done. */
  readonly done: number;
  readonly total: number;
}
