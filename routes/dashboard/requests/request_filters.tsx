import type { Clock } from "@/lib/clock.ts";
import { NAME_LENGTH_MAX } from "@/lib/limits.ts";

/** What each kind of caller is called on the page. */
export const CALLERS: Readonly<Record<string, string>> = {
  publishable: "Publishable key",
  secret: "Secret key",
  account: "Member, signed in",
  accountToken: "Personal access token",
};

const STATUSES: Readonly<Record<string, string>> = {
  "4xx": "Refused (4xx)",
  "5xx": "Failed (5xx)",
  "2xx": "Went well (2xx)",
};

/** How far back, by its word in the address. */
const WITHIN: Readonly<Record<string, { readonly label: string; readonly ms: number }>> = {
  hour: { label: "The last hour", ms: 3_600_000 },
  day: { label: "The last day", ms: 86_400_000 },
};

const NAMES = ["operation", "status", "code", "caller", "requestId", "within", "cursor"];

/** What the page is asked for; a field that was left empty asks for nothing. */
export function filtersIn(query: string): Readonly<Record<string, string>> {
  const asked = new URLSearchParams(query);
  const given = NAMES.map((name) => [name, asked.get(name)?.trim() ?? ""] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

/** The query of the operation that lists them. */
export function queryWith(filters: Readonly<Record<string, string>>, clock: Clock): string {
  const { within, ...others } = filters;
  const span = within === undefined || !Object.hasOwn(WITHIN, within) ? null : WITHIN[within]!;
  const since = span && { since: new Date(clock.now() - span.ms).toISOString() };
  return new URLSearchParams({ ...others, ...since }).toString();
}

export const FilterForm = (
  { path, filters }: { path: string; filters: Readonly<Record<string, string>> },
) => (
  <form action={path} class="filter-line">
    <TextFilter name="operation" label="Operation" value={filters.operation} />
    <label>
      Status
      <Options name="status" all="Any" options={STATUSES} value={filters.status} />
    </label>
    <TextFilter name="code" label="Problem" value={filters.code} />
    <label>
      Caller
      <Options name="caller" all="Anybody" options={CALLERS} value={filters.caller} />
    </label>
    <label>
      When
      <Options
        name="within"
        all="Any time"
        options={Object.fromEntries(
          Object.entries(WITHIN).map(([name, { label }]) => [name, label]),
        )}
        value={filters.within}
      />
    </label>
    <TextFilter name="requestId" label="x-request-id" value={filters.requestId} />
    <button class="quiet">Filter</button>
    {Object.keys(filters).length > 0 && <a href={path}>Show all</a>}
  </form>
);

const TextFilter = (
  { name, label, value = "" }: { name: string; label: string; value?: string | undefined },
) => (
  <label>
    {label}
    <input name={name} value={value} maxlength={NAME_LENGTH_MAX} spellcheck={false} />
  </label>
);

/** A value that is none of the options stays one: the address may have it. */
const Options = (
  { name, all, options, value }: {
    name: string;
    all: string;
    options: Readonly<Record<string, string>>;
    value: string | undefined;
  },
) => (
  <select name={name}>
    <option value="">{all}</option>
    {value !== undefined && !Object.hasOwn(options, value) && <option selected>{value}</option>}
    {Object.entries(options).map(([key, label]) => (
      <option value={key} {...(key === value && { selected: true })}>{label}</option>
    ))}
  </select>
);
