import type { Definition, Id, StoredRecord } from "../store/port.ts";
import type { Binding } from "./key_ring.ts";

/** Where records of a kind keep a sealed value. Whatever seals anything declares one. */
export interface SealedPlace {
  readonly definition: Definition;
  /** Text, or null where there is none. */
  readonly member: string;
  /** @param projectId Whose space the record is in; null for the control space. */
  binding(record: StoredRecord, projectId: Id | null): Binding;
}
