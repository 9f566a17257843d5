import type { Definition } from "../port.ts";
import { quoted } from "./fragment.ts";

/** What a table of records is called. */
export const tableName = (definition: Definition): string => quoted(`r_${definition.name}`);
