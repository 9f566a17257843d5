import { parseJson } from "@/lib/store/json_text.ts";

interface Reference {
  readonly $ref: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  parameters?: object[];
  readonly responses: Readonly<Record<string, { headers?: Record<string, object> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

/** Replaces parameters and headers that occur more than once with references to components. */
export function shareParts<T extends object>(given: T): T {
  const { paths, components } = given as unknown as Document;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const responses = operations.flatMap(({ responses }) => Object.values(responses));
  const parameters = new SharedParts(
    "parameters",
    operations.flatMap(({ parameters = [] }) => parameters.map(named)),
  );
  const headers = new SharedParts(
    "headers",
    responses.flatMap(({ headers = {} }) => Object.entries(headers)),
  );
  for (const operation of operations) {
    if (operation.parameters) {
      operation.parameters = operation.parameters.map((one) => parameters.of(one));
    }
  }
  for (const response of responses) {
    if (response.headers === undefined) continue;
    response.headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, one]) => [name, headers.of(one)]),
    );
  }
  Object.assign(components, { parameters: parameters.components, headers: headers.components });
  return given;
}

const named = (parameter: object): [string, object] => {
  const { name, in: place } = parameter as Parameter;
  return [`${place}.${name}`, parameter];
};

class SharedParts {
  readonly components: Record<string, object> = {};
  readonly #kind: string;
  readonly #names = new Map<string, string>();

  constructor(kind: string, parts: readonly (readonly [name: string, part: object])[]) {
    this.#kind = kind;
    for (const [text, alike] of Map.groupBy(parts, ([, part]) => JSON.stringify(part))) {
      if (alike.length === 1) continue;
      const name = this.#freeName(alike[0]![0]);
      this.components[name] = parseJson(text) as object;
      this.#names.set(text, name);
    }
  }

  /** Returns a reference to the part's component, or the part if it occurs once. */
  of(part: object): object {
    const name = this.#names.get(JSON.stringify(part));
    return name === undefined ? part : { $ref: `#/components/${this.#kind}/${name}` };
  }

  /** Returns `query.limit`, or `query.limit.2` for a different part of that name. */
  #freeName(name: string): string {
    let free = name;
    for (let i = 2; free in this.components; i++) free = `${name}.${i}`;
    return free;
  }
}

export const parametersOf = <T extends Parameter>(
  { components }: { readonly components: { readonly parameters: Readonly<Record<string, T>> } },
  parameters: readonly (T | Reference)[] = [],
): T[] => parameters.map((one) => "$ref" in one ? components.parameters[lastName(one.$ref)]! : one);

export const lastName = (reference: string): string => reference.split("/").at(-1)!;
