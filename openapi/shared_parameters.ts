import { parseJson } from "@/lib/store/json_text.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  parameters?: (Parameter | { readonly $ref: string })[];
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components?: { parameters?: Record<string, Parameter> };
}

/**
 * Makes components of the parameters that several operations have alike, and refers to them. Of those
 * with one name it is the one that takes the most room.
 */
export function shareParameters<T extends object>(given: T): T {
  const document = given as Document;
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
  const texts = operations.flatMap(({ parameters = [] }) => parameters)
    .map((parameter) => JSON.stringify(parameter));
  const counts = [...Map.groupBy(texts, (text) => text)]
    .filter(([, { length }]) => length > 1)
    .sort(([one, { length }], [other, others]) =>
      length * one.length - others.length * other.length
    );
  // The later take the place of the earlier.
  const shared = Object.fromEntries(counts.map(([text]) => {
    const parameter = parseJson(text) as unknown as Parameter;
    return [nameOf(parameter), { text, parameter }];
  }));
  for (const operation of operations) {
    if (operation.parameters === undefined) continue;
    operation.parameters = operation.parameters.map((parameter) => {
      const name = nameOf(parameter as Parameter); // None is a reference so far.
      if (shared[name]?.text !== JSON.stringify(parameter)) return parameter;
      return { $ref: `#/components/parameters/${name}` };
    });
  }
  const parameters = Object.fromEntries(
    Object.entries(shared).map(([name, { parameter }]) => [name, parameter]),
  );
  document.components = { ...document.components, parameters };
  return given;
}

const nameOf = ({ name, in: place }: Parameter): string => `${place}.${name}`;

/** The parameters of an operation, those of components too. */
export const parametersOf = <T extends Parameter>(
  { components }: { readonly components: { readonly parameters: Readonly<Record<string, T>> } },
  parameters: readonly (T | { readonly $ref: string })[] = [],
): T[] =>
  parameters.map((one) =>
    "$ref" in one ? components.parameters[one.$ref.split("/").at(-1)!]! : one
  );
