import { type FieldFault, Problem } from "../problems.ts";

/** So many are told of; what follows them is not looked at any more. */
const TOLD_MAX = 10;

/** Those documents of a list that are refused, to be told of together. */
export class FaultyDocuments {
  readonly #problems: { readonly index: number; readonly problem: Problem }[] = [];
  readonly #count: number;
  readonly #path: string;

  /** @param path Of the list in the body: empty, or with a dot at its end. */
  constructor(count: number, path: string) {
    this.#count = count;
    this.#path = path;
  }

  /** Null where the document is refused, or nobody would be told of it. */
  try<T>(index: number, work: () => T): T | null {
    if (this.#problems.length === TOLD_MAX) return null;
    try {
      return work();
    } catch (error) {
      this.add(index, error);
      return null;
    }
  }

  /** Throws what is no refusal. */
  add(index: number, error: unknown): void {
    if (!(error instanceof Problem)) throw error;
    if (this.#problems.length < TOLD_MAX) this.#problems.push({ index, problem: error });
  }

  /** Throws one refusal for all of them, if there are any, with the code of the first. */
  refuse(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const told = this.#problems.map(({ index, problem }) =>
      `documents[${index}]: ${problem.message}`
    );
    const isCut = told.length === TOLD_MAX && this.#problems.at(-1)!.index + 1 < this.#count;
    throw new Problem(first.problem.code, {
      message: told.join(" ") + (isCut ? " The documents behind it were not looked at." : ""),
      faults: this.#problems.flatMap(({ index, problem }) => this.#faultsOf(index, problem)),
    });
  }

  #faultsOf(index: number, { faults, message }: Problem): FieldFault[] {
    const at = `${this.#path}${index}`;
    if (faults.length === 0) return [{ path: at, message }];
    return faults.map((fault) => ({
      path: fault.path === "" ? at : `${at}.${fault.path}`,
      message: fault.message,
    }));
  }
}
