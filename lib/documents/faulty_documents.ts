import { type FieldFault, Problem } from "../problems.ts";
import { FAULTS_MAX } from "./validate.ts";

/**
 * Collects the documents of a list that are refused, for one refusal. After `FAULTS_MAX` refused
 * documents the rest of the list is not checked.
 */
export class FaultyDocuments {
  readonly #problems: { readonly index: number; readonly problem: Problem }[] = [];
  readonly #count: number;
  readonly #path: string;

  /** @param path The path of the list in the body: empty, or with a dot at its end. */
  constructor(count: number, path: string) {
    this.#count = count;
    this.#path = path;
  }

  /** Returns null if the document is refused, or if enough documents have been refused. */
  try<T>(index: number, work: () => T): T | null {
    if (this.#problems.length === FAULTS_MAX) return null;
    try {
      return work();
    } catch (error) {
      this.add(index, error);
      return null;
    }
  }

  /** Adds a refused document. Throws an error that is not a refusal. */
  add(index: number, error: unknown): void {
    if (!(error instanceof Problem)) throw error;
    if (this.#problems.length < FAULTS_MAX) this.#problems.push({ index, problem: error });
  }

  /** Throws one refusal for all refused documents, if there are any, with the code of the first. */
  refuse(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const told = this.#problems.map(({ index, problem }) =>
      `documents[${index}]: ${problem.message}`
    );
    const isCut = told.length === FAULTS_MAX && this.#problems.at(-1)!.index + 1 < this.#count;
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
