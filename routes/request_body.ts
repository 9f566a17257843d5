import {
  type BodyLimits,
  readForm,
  readJson,
  readJsonIfAny,
  refuseEncoded,
} from "@/lib/http/body.ts";
import type { ByteBudget, HeldBytes } from "@/lib/http/byte_budget.ts";
import { type ChunkLimits, readChunks } from "@/lib/http/chunks.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { FORM_FIELDS_MAX } from "@/lib/limits.ts";
import type { Json } from "@/lib/store/port.ts";

interface Reading {
  /** Of JSON or of a form; chunks are counted by who reads them. */
  readonly bytesMax: number;
  readonly budget: ByteBudget;
  /** Told whenever something has arrived. */
  readonly arrived: () => void;
}

/**
 * The body of one request, read by one of its methods within the limits of the operation and of what
 * the process holds. hono's own readers know no limits. Dispose of it when the request has ended.
 */
export class RequestBody implements Disposable {
  readonly #state: RequestState;
  readonly #reading: Reading;
  /** Made with the first byte: most requests have no body. */
  #held: HeldBytes | undefined;

  constructor(state: RequestState, reading: Reading) {
    this.#state = state;
    this.#reading = reading;
  }

  /** What it is, by its sender's words; empty where they say nothing. */
  get type(): string {
    return this.#state.raw.headers.get("content-type") ?? "";
  }

  /** A JSON value. */
  json(): Promise<Json> {
    return this.#timed(readJson(this.#state.raw, this.#limits()));
  }

  /** A JSON value that may be left out. */
  jsonIfAny(): Promise<Json | undefined> {
    return this.#timed(readJsonIfAny(this.#state.raw, this.#limits()));
  }

  /** The fields of a form, which pages send. */
  form(fieldsMax: number = FORM_FIELDS_MAX): Promise<URLSearchParams> {
    return this.#timed(readForm(this.#state.raw, { ...this.#limits(), fieldsMax }));
  }

  /** The bytes of a body of another kind, as they arrive. Throws `UNSUPPORTED_MEDIA_TYPE`. */
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array> {
    refuseEncoded(this.#state.raw.headers.get("content-encoding"));
    return readChunks(this.#state.raw, limits, this.#reading.arrived);
  }

  /** To be told of those of them that are kept until the request ends. Throws `SERVER_BUSY`. */
  hold(bytes: number): void {
    this.#room().add(bytes);
  }

  [Symbol.dispose](): void {
    this.#held?.[Symbol.dispose]();
  }

  #room(): HeldBytes {
    return this.#held ??= this.#reading.budget.open(this.#state.share);
  }

  #limits(): BodyLimits {
    return { bytesMax: this.#reading.bytesMax, held: this.#room() };
  }

  #timed<T>(read: Promise<T>): Promise<T> {
    return read.finally(this.#reading.arrived);
  }
}
