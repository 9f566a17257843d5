import type { Definition } from "../port.ts";
import { quoted } from "./fragment.ts";

/** What a table of records is called where its name is a value. */
export const bareTableName = ({ name }: Pick<Definition, "name">): string => `r_${name}`;

/** What a statement calls it. */
export const tableName = (definition: Pick<Definition, "name">): string =>
  quoted(bareTableName(definition));
