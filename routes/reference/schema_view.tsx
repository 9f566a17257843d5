import { lastName } from "@/openapi/shared_parts.ts";
import type { Schema } from "./document.ts";
import { markdown } from "./markdown.ts";

type Schemas = Readonly<Record<string, Schema>>;

/** Members below this are shown by their types alone: no schema of ours is as deep. */
const DEPTH_MAX = 8;

interface Position {
  readonly schemas: Schemas;
  /** Names of the schemas that this one is within, which may refer to themselves. */
  readonly within: readonly string[];
}

/** What a schema refers to, with the names on the way. */
function resolved(schema: Schema, position: Position): { schema: Schema; position: Position } {
  if (schema.$ref === undefined) return { schema, position };
  const name = lastName(schema.$ref);
  const { schemas, within } = position;
  return resolved({ ...schemas[name], ...without$ref(schema) }, {
    schemas,
    within: [...within, name],
  });
}

const without$ref = ({ $ref: _, ...rest }: Schema): Schema => rest;

/** "string or null", "array of objects". */
function typeText(schema: Schema, schemas: Schemas): string {
  const whole = schema.$ref === undefined ? schema : schemas[lastName(schema.$ref)]!;
  const choices = whole.anyOf ?? whole.oneOf;
  if (choices !== undefined) {
    return [...new Set(choices.map((one) => typeText(one, schemas)))].join(" or ");
  }
  if (whole.allOf !== undefined) return "object";
  if (whole.type === undefined) {
    return whole.enum !== undefined || whole.const !== undefined ? "one value" : "any value";
  }
  return [whole.type].flat().map((type) =>
    type === "array" && whole.items !== undefined
      ? `array of ${typeText(whole.items, schemas)}`
      : type
  ).join(" or ");
}

const json = (value: unknown): string => JSON.stringify(value);

/** What a value must keep to, beside its type. */
function bounds(schema: Schema): string[] {
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

/** Type, bounds, choices and default of a value, in one line. */
export const TypeLine = (
  { schema, schemas, required }: { schema: Schema; schemas: Schemas; required?: boolean },
) => {
  const whole = resolved(schema, { schemas, within: [] }).schema;
  const values = whole.enum ?? (whole.const === undefined ? [] : [whole.const]);
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
      {whole.default !== undefined && (
        <span>
          default <code>{json(whole.default)}</code>
        </span>
      )}
      {bounds(whole).map((one) => <span class="bound">{one}</span>)}
    </>
  );
};

/** The members of an object, of the elements of a list, or of each choice; nothing of a plain value. */
export const SchemaView = (
  { schema, schemas, within = [] }: {
    schema: Schema;
    schemas: Schemas;
    within?: readonly string[];
  },
) => {
  const named = schema.$ref === undefined ? null : lastName(schema.$ref);
  if (within.length >= DEPTH_MAX || (named !== null && within.includes(named))) {
    return <p class="again">As {named ?? "above"}, which it is within.</p>;
  }
  const found = resolved(schema, { schemas, within });
  const { position } = found;
  const whole = found.schema;
  const choices = whole.anyOf ?? whole.oneOf ?? whole.allOf;
  const view = (one: Schema) => (
    <SchemaView schema={one} schemas={schemas} within={position.within} />
  );
  if (choices !== undefined) {
    const isOpen = (one: Schema) => hasMembers(one, schemas);
    return <>{choices.filter(isOpen).map((one) => <div class="choice">{view(one)}</div>)}</>;
  }
  if (whole.items !== undefined) return view(whole.items);
  const properties = Object.entries(whole.properties ?? {});
  const { additionalProperties: others } = whole;
  if (properties.length === 0 && !others) return null;
  return (
    <ul class="schema">
      {properties.map(([name, member]) => (
        <Member
          name={name}
          schema={member}
          schemas={schemas}
          within={position.within}
          required={whole.required?.includes(name) === true}
        />
      ))}
      {others && (
        <Member
          name="any other member"
          schema={others === true ? {} : others}
          schemas={schemas}
          within={position.within}
          required={false}
        />
      )}
    </ul>
  );
};

const Member = (
  { name, schema, schemas, within, required }: {
    name: string;
    schema: Schema;
    schemas: Schemas;
    within: readonly string[];
    required: boolean;
  },
) => {
  const { description } = resolved(schema, { schemas, within: [] }).schema;
  return (
    <li>
      <code class="name">{name}</code>{" "}
      <TypeLine schema={schema} schemas={schemas} required={required} />
      {description !== undefined && <div class="about">{markdown(description)}</div>}
      {hasMembers(schema, schemas) && (
        <details open={within.length < 2}>
          <summary>
            Members<span class="hidden">of {name}</span>
          </summary>
          <SchemaView schema={schema} schemas={schemas} within={within} />
        </details>
      )}
    </li>
  );
};

/** Whether there is something to show below the type. */
function hasMembers(schema: Schema, schemas: Schemas): boolean {
  const whole = resolved(schema, { schemas, within: [] }).schema;
  const choices = whole.anyOf ?? whole.oneOf ?? whole.allOf;
  if (choices !== undefined) return choices.some((one) => hasMembers(one, schemas));
  if (whole.items !== undefined) return hasMembers(whole.items, schemas);
  return Object.keys(whole.properties ?? {}).length > 0 || Boolean(whole.additionalProperties);
}
