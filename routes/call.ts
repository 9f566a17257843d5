import type { ChunkLimits } from "@/lib/http/chunks.ts";
import type { Reply } from "@/lib/http/respond.ts";
import type { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import type { Soon } from "@/lib/soon.ts";
import type { Id, Json } from "@/lib/store/port.ts";
import type { BodySpec, Contract } from "@/openapi/contract.ts";

/** What is answered where: an operation of the contract, or a page. */
export type Operation<P, B = unknown> =
  & Pick<Contract<P>, "operationId" | "method" | "path" | "security" | "extraMs" | "offload">
  & {
    readonly body?: Omit<BodySpec<B>, "example" | "description"> | null;
  };

export type Mount = <P, B>(operation: Operation<P, B>, handle: Handler<P, B>) => void;

/** One call of an operation, after its guard. */
export interface Call<P, B = unknown> {
  readonly services: Services;
  /** What the guard of the operation's contract found out. */
  readonly principal: P;
  /** A path parameter, decoded. */
  param(name: string): string;
  /** The query text, as sent. */
  readonly query: string;
  header(name: string): string | null;
  /** Whether only the head of the answer is asked for. */
  readonly isHead: boolean;
  /**
   * Aborted when the client is gone, as far as the platform notices: with a body of more than some
   * 300 bytes it does so only once the answer has begun. Made when asked for.
   */
  gone(): AbortSignal;
  /** What a thrown value means to the client; what is no refusal is logged. */
  problem(error: unknown): Problem;
  /** The body of a refusal, for an answer that has begun and cannot be one itself. */
  refusal(error: unknown): string;
  /** Address of the client. */
  client(): string;
  /** What counts as one client, for all that is limited or locked. */
  network(): string;
  /** The JSON body, as the contract's schema has read it. */
  readonly input: B;
  /** Reads the JSON body, within the contract's limit. */
  body(): Promise<Json>;
  /** The same for a body that may be left out: undefined then. */
  optionalBody(): Promise<Json | undefined>;
  /** Reads the fields of a form, which pages send; `FORM_FIELDS_MAX` of them if not told otherwise. */
  form(fieldsMax?: number): Promise<URLSearchParams>;
  /** The bytes of a body of another kind, as they arrive. */
  chunks(limits: ChunkLimits): AsyncIterable<Uint8Array>;
  /** To be told of those of them that are kept until the request ends. Throws `SERVER_BUSY`. */
  hold(bytes: number): void;
}

/** All that many handlers want to know of their caller: in which project they may do this. */
export interface InProject {
  readonly projectId: Id;
}

/** A handler only translates: it reads the call, calls one verb, and shapes the reply. */
export type Handler<P, B = unknown> = (call: Call<P, B>) => Soon<Reply>;
