import type { Definition } from "../port.ts";
import { quoted } from "./fragment.ts";

/** Returns the unquoted name of a definition's table, for use as a value. */
export const bareTableName = ({ name }: Pick<Definition, "name">): string => `r_${name}`;

/** Returns the quoted name of a definition's table, for use in statements. */
export const tableName = (definition: Pick<Definition, "name">): string =>
  quoted(bareTableName(definition));
