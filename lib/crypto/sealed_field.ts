import type { Definition, Id, StoredRecord } from "../store/port.ts";
import type { SealBinding } from "./key_ring.ts";

/** Field of a record that stores a sealed value. Every such field is declared by one of these. */
export interface SealedField {
  readonly definition: Definition;
  /** Name of the field, whose value is a sealed text or null. */
  readonly member: string;
  /** @param projectId Project whose space the record is in; null for the control space. */
  binding(record: StoredRecord, projectId: Id | null): SealBinding;
}
