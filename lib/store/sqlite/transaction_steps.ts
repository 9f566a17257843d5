/** Messages between the event loop and the thread of `definition_worker.ts`. */
import {
  Outdated,
  PageTooLarge,
  PathConflict,
  QueryTooSlow,
  RecordTooLarge,
  SpaceFull,
  StoreMismatch,
  StoreUnavailable,
  TooManyMembers,
  TypeConflict,
  UniqueViolation,
} from "../errors.ts";
import type { Definition, ListQuery, Page, Records, WriteOptions } from "../port.ts";
import { pageOf, type ReadPage } from "../texts.ts";
import { Busy, type Sync } from "./connection.ts";

export interface RecordsCall {
  readonly index: number;
  readonly method: Exclude<keyof Records, "find">;
  readonly args: readonly unknown[];
}

/** A step of a transaction. The thread responds before it runs the next step. */
export type TransactionStep =
  | { readonly do: "connect"; readonly path: string; readonly sync: Sync }
  | { readonly do: "begin"; readonly waitMs: number }
  | {
    readonly do: "open";
    readonly definition: Definition;
    readonly writing: WriteOptions | undefined;
  }
  | { readonly do: "call"; readonly call: RecordsCall }
  | { readonly do: "define"; readonly definition: Definition }
  | { readonly do: "commit" }
  /** Closes the connection, which rolls back an uncommitted transaction. */
  | { readonly do: "close" };

export type StepAnswer = { readonly value: unknown } | { readonly fault: Fault };

/** An error without its class, which cannot be sent between threads. */
interface Fault {
  readonly name: string;
  readonly message: string;
}

const CLASSES = [
  Outdated,
  PageTooLarge,
  PathConflict,
  QueryTooSlow,
  RecordTooLarge,
  SpaceFull,
  StoreMismatch,
  StoreUnavailable,
  TooManyMembers,
  TypeConflict,
  UniqueViolation,
];

export function faultOf(error: unknown): Fault {
  const { name, message, stack: _stack, cause: _cause, ...fields } = error as Error;
  return { ...fields, name: error instanceof Busy ? StoreUnavailable.name : name, message };
}

export function errorOf({ message, ...fields }: Fault): Error {
  const error = Object.assign(new Error(message), fields);
  const known = CLASSES.find(({ name }) => name === fields.name);
  return known === undefined ? error : Object.setPrototypeOf(error, known.prototype);
}

/** A page without its methods, which can be sent between threads. */
export interface SentPage extends ReadPage {
  readonly more: boolean;
}

export const toSentPage = ({ texts, total, examined, more }: Page): SentPage => ({
  texts,
  total,
  examined,
  more,
});

export function fromSentPage<T>(page: SentPage, query: ListQuery): Page<T> {
  const texts = query.backwards ? page.texts.toReversed() : [...page.texts];
  const limit = texts.length;
  if (page.more) texts.push("");
  return pageOf<T>({ ...page, texts }, { ...query, limit, bytesMax: Infinity });
}
