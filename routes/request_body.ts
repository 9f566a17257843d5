import {
  type BodyLimits,
  readForm,
  readJson,
  readJsonIfAny,
  refuseEncoded,
} from "@/lib/http/body.ts";
import type { ByteBudget, ByteReservation } from "@/lib/http/byte_budget.ts";
import { type ChunkLimits, readChunks } from "@/lib/http/chunks.ts";
import type { RequestState } from "@/lib/http/request.ts";
import { FORM_FIELDS_MAX } from "@/lib/limits.ts";
import type { Json } from "@/lib/store/port.ts";

interface BodyReading {
  /** Limit of a JSON body or a form. The reader of chunks counts them itself. */
  readonly bytesMax: number;
  readonly budget: ByteBudget;
  /** Called whenever bytes have arrived. */
  readonly onArrival: () => void;
}

/** Body of a request, read once and within limits, which hono's readers lack. Dispose of it. */
export class RequestBody implements Disposable {
  readonly #state: RequestState;
  readonly #reading: BodyReading;
  /** Created lazily, because most requests have no body. */
  #reservation: ByteReservation | undefined;

  constructor(state: RequestState, reading: BodyReading) {
    this.#state = state;
    this.#reading = reading;
  }

  /** Content type that the client sent, or an empty string. */
  get type(): string {
    return this.#state.raw.headers.get("content-type") ?? "";
  }

  json(): Promise<Json> {
    return this.#timed(readJson(this.#state.raw, this.#limits()));
  }

  /** Reads a JSON value, or returns undefined if the body is empty. */
  jsonIfAny(): Promise<Json | undefined> {
    return this.#timed(readJsonIfAny(this.#state.raw, this.#limits()));
  }

  form(fieldsMax: number = FORM_FIELDS_MAX): Promise<URLSearchParams> {
    return this.#timed(readForm(this.#state.raw, { ...this.#limits(), fieldsMax }));
  }

  /** Returns the bytes of any other body as they arrive. Throws `UNSUPPORTED_MEDIA_TYPE`. */
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array> {
    refuseEncoded(this.#state.raw.headers.get("content-encoding"));
    return readChunks(this.#state.raw, limits, this.#reading.onArrival);
  }

  /** Charges bytes of chunks that the caller keeps until the request ends. Throws `SERVER_BUSY`. */
  hold(bytes: number): void {
    this.#room().add(bytes);
  }

  [Symbol.dispose](): void {
    this.#reservation?.[Symbol.dispose]();
  }

  #room(): ByteReservation {
    return this.#reservation ??= this.#reading.budget.open(this.#state.shareHolder);
  }

  #limits(): BodyLimits {
    return { bytesMax: this.#reading.bytesMax, reservation: this.#room() };
  }

  #timed<T>(read: Promise<T>): Promise<T> {
    return read.finally(this.#reading.onArrival);
  }
}
