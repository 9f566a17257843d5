import { lastName } from "@/openapi/shared_parts.ts";
import type { Schema } from "./document.ts";
import { markdown } from "./markdown.ts";

/** The named schemas of a page, each written out at its first mention, because they form cycles. */
export class PageSchemas {
  readonly #byName: Readonly<Record<string, Schema>>;
  readonly #written = new Set<string>();

  constructor(byName: Readonly<Record<string, Schema>>) {
    this.#byName = byName;
  }

  resolve({ $ref, ...schema }: Schema): Schema {
    return $ref === undefined
      ? schema
      : this.resolve({ ...this.#byName[lastName($ref)]!, ...schema });
  }

  isFirstMention(name: string): boolean {
    if (this.#written.has(name)) return false;
    this.#written.add(name);
    return true;
  }
}

/** Returns the type in words, such as "string or null" or "array of object". */
function typeText(schema: Schema, schemas: PageSchemas): string {
  const resolved = schemas.resolve(schema);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (choices !== undefined) {
    return [...new Set(choices.map((one) => typeText(one, schemas)))].join(" or ");
  }
  if (resolved.allOf !== undefined) return "object";
  if (resolved.type === undefined) {
    return resolved.enum !== undefined || resolved.const !== undefined ? "one value" : "any value";
  }
  return [resolved.type].flat().map((type) =>
    type === "array" && resolved.items !== undefined
      ? `array of ${typeText(resolved.items, schemas)}`
      : type
  ).join(" or ");
}

const json = (value: unknown): string => JSON.stringify(value);

function constraints(schema: Schema): string[] {
  const between = (name: string, least: number | undefined, most: number | undefined) => {
    const [from, to] = [least?.toLocaleString("en"), most?.toLocaleString("en")];
    if (from !== undefined && to !== undefined) return [`${name} ${from} to ${to}`];
    if (from !== undefined) return [`${name} at least ${from}`];
    return to !== undefined ? [`${name} at most ${to}`] : [];
  };
  return [
    ...(schema.format !== undefined ? [`format ${schema.format}`] : []),
    ...between("value", schema.minimum, schema.maximum),
    ...between("length", schema.minLength, schema.maxLength),
    ...between("elements", schema.minItems, schema.maxItems),
    ...between("members", schema.minProperties, schema.maxProperties),
    ...(schema.uniqueItems ? ["no element twice"] : []),
    ...(schema.pattern !== undefined ? [`pattern ${schema.pattern}`] : []),
  ];
}

export const TypeLine = (
  { schema, schemas, required }: { schema: Schema; schemas: PageSchemas; required?: boolean },
) => {
  const resolved = schemas.resolve(schema);
  const values = resolved.enum ?? (resolved.const === undefined ? [] : [resolved.const]);
  return (
    <>
      <span class="type">{typeText(schema, schemas)}</span>
      {required && <strong class="required">required</strong>}
      {values.length > 0 && (
        <span>
          {values.map((one, i) => (
            <>
              {i > 0 && " · "}
              <code>{json(one)}</code>
            </>
          ))}
        </span>
      )}
      {resolved.default !== undefined && (
        <span>
          default <code>{json(resolved.default)}</code>
        </span>
      )}
      {constraints(resolved).map((one) => <span class="bound">{one}</span>)}
    </>
  );
};

interface SchemaProps {
  readonly schema: Schema;
  readonly schemas: PageSchemas;
  /** Number of named schemas around this schema. */
  readonly depth?: number;
}

/** Members of an object, list element or choice. Named schemas are written out once. */
export const SchemaView = ({ schema, schemas, depth = 0 }: SchemaProps) => {
  if (!hasMembers(schema, schemas)) return null;
  if (schema.$ref === undefined) return <Inside schema={schema} schemas={schemas} depth={depth} />;
  const name = lastName(schema.$ref);
  const id = `schema-${name}`;
  if (!schemas.isFirstMention(name)) {
    return (
      <p class="again">
        See <a href={`#${id}`}>{name}</a>.
      </p>
    );
  }
  return (
    <div id={id}>
      <Inside schema={schemas.resolve(schema)} schemas={schemas} depth={depth + 1} />
    </div>
  );
};

/** Content of a schema that is not a reference. */
const Inside = ({ schema, schemas, depth }: Required<SchemaProps>) => {
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    return (
      <>
        {choices.filter((one) => hasMembers(one, schemas)).map((one) => (
          <div class="choice">
            <SchemaView schema={one} schemas={schemas} depth={depth} />
          </div>
        ))}
      </>
    );
  }
  const { items, properties = {}, required = [], additionalProperties: others } = schema;
  if (items !== undefined) return <SchemaView schema={items} schemas={schemas} depth={depth} />;
  return (
    <ul class="schema">
      {Object.entries(properties).map(([name, member]) => (
        <Member
          name={name}
          schema={member}
          schemas={schemas}
          depth={depth}
          required={required.includes(name)}
        />
      ))}
      {others && (
        <Member
          name="any other member"
          schema={others === true ? {} : others}
          schemas={schemas}
          depth={depth}
          required={false}
        />
      )}
    </ul>
  );
};

const Member = (
  { name, schema, schemas, depth, required }: Required<SchemaProps> & {
    readonly name: string;
    readonly required: boolean;
  },
) => {
  const { description } = schemas.resolve(schema);
  return (
    <li>
      <code class="name">{name}</code>{" "}
      <TypeLine schema={schema} schemas={schemas} required={required} />
      {description !== undefined && <div class="about">{markdown(description)}</div>}
      {hasMembers(schema, schemas) && (
        <details open={depth < 2}>
          <summary>
            Members<span class="hidden">of {name}</span>
          </summary>
          <SchemaView schema={schema} schemas={schemas} depth={depth} />
        </details>
      )}
    </li>
  );
};

const choicesOf = ({ anyOf, oneOf, allOf }: Schema): readonly Schema[] | undefined =>
  anyOf ?? oneOf ?? allOf;

function hasMembers(schema: Schema, schemas: PageSchemas): boolean {
  const resolved = schemas.resolve(schema);
  const choices = choicesOf(resolved);
  if (choices !== undefined) return choices.some((one) => hasMembers(one, schemas));
  if (resolved.items !== undefined) return hasMembers(resolved.items, schemas);
  return Object.keys(resolved.properties ?? {}).length > 0 ||
    Boolean(resolved.additionalProperties);
}
