import { type FieldFault, Problem } from "../problems.ts";
import { FAULTS_MAX } from "./validate.ts";

/** Combines the problems of a list's documents. Checks none after `FAULTS_MAX` rejected ones. */
export class FaultyDocuments {
  readonly #problems: { readonly index: number; readonly problem: Problem }[] = [];
  readonly #count: number;
  readonly #path: string;

  /** @param path The path of the list in the body: empty, or with a trailing dot. */
  constructor(count: number, path: string) {
    this.#count = count;
    this.#path = path;
  }

  /** Returns null if the document is rejected or is not checked any more. */
  try<T>(index: number, work: () => T): T | null {
    if (this.#problems.length === FAULTS_MAX) return null;
    try {
      return work();
    } catch (error) {
      this.add(index, error);
      return null;
    }
  }

  /** Throws the error if it is not a problem. */
  add(index: number, error: unknown): void {
    if (!(error instanceof Problem)) throw error;
    if (this.#problems.length < FAULTS_MAX) this.#problems.push({ index, problem: error });
  }

  /** Throws one problem for all rejected documents, with the code of the first. */
  throwIfAny(): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const messages = this.#problems.map(({ index, problem }) =>
      `documents[${index}]: ${problem.message}`
    );
    const isCut = messages.length === FAULTS_MAX && this.#problems.at(-1)!.index + 1 < this.#count;
    throw new Problem(first.problem.code, {
      message: messages.join(" ") + (isCut ? " The documents after it were not checked." : ""),
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
