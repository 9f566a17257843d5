import type { Definition } from "../port.ts";
import { inOrder } from "../renames.ts";

/** The column that has a record's text as it is behind the renames of a definition. */
export const NEXT_TEXT = '"+doc"';

/** Whether the texts of records change with a definition. */
export const isMoved = ({ renames = [] }: Definition): boolean => renames.length > 0;

/** The column that all that is built ahead of a definition is read out of. */
export const textToRead = (definition: Definition): string =>
  isMoved(definition) ? NEXT_TEXT : "doc";

const at = (name: string): string => `'$."${name}"'`;

const has = (name: string): string => `json_type(doc, ${at(name)}) is not null`;

/** Whether a record has a member that is renamed, as an SQL expression of `doc`. */
export const isConcerned = ({ renames = [] }: Definition): string =>
  `(${renames.map(({ from }) => has(from)).join(" or ")})`;

/** No member of a record is called so: to remove it changes nothing. */
const NOWHERE = `'$."$"'`;

/**
 * The text of a record whose members are renamed, as an SQL expression of `doc`. The text stands in
 * it once, however many they are: so what a record has not is set to null, and removed again.
 */
export const nextText = (definition: Definition): string =>
  `case when ${isConcerned(definition)} then ` +
  inOrder(definition.renames ?? []).reduce((text, { from, to }) => {
    const before = `case when ${has(from)} then ${at(to)} else ${NOWHERE} end`;
    const value = `json(coalesce(doc -> ${at(from)}, 'null'))`;
    const behind = `case when ${has(from)} then ${at(from)} when ${has(to)} then ${NOWHERE} ` +
      `else ${at(to)} end`;
    return `json_remove(json_set(json_remove(${text}, ${before}), ${at(to)}, ${value}), ${behind})`;
  }, "doc") +
  " else doc end";
