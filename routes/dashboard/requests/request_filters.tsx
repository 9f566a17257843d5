import type { Clock } from "@/lib/clock.ts";
import { NAME_LENGTH_MAX } from "@/lib/limits.ts";
import { type Texts, texts } from "../texts/mod.ts";

type Within = keyof Texts["requests"]["filters"]["within"];

const WITHIN_MS: Readonly<Record<Within, number>> = { hour: 3_600_000, day: 86_400_000 };

const isWithin = (text: string | undefined): text is Within =>
  text !== undefined && Object.hasOwn(WITHIN_MS, text);

const REQUEST_ID = "x-request-id";

const NAMES = ["operation", "status", "code", "caller", "requestId", "within", "cursor"];

export function readFilters(query: string): Readonly<Record<string, string>> {
  const parameters = new URLSearchParams(query);
  const given = NAMES.map((name) => [name, parameters.get(name)?.trim() ?? ""] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

export function listQuery(filters: Readonly<Record<string, string>>, clock: Clock): string {
  const { within, ...others } = filters;
  const since = isWithin(within) &&
    { since: new Date(clock.now() - WITHIN_MS[within]).toISOString() };
  return new URLSearchParams({ ...others, ...since }).toString();
}

export const FilterForm = (
  { path, filters }: { path: string; filters: Readonly<Record<string, string>> },
) => {
  const { callers, filters: t } = texts().requests;
  return (
    <form action={path} class="filter-line">
      <TextFilter name="operation" label={t.operation} value={filters.operation} />
      <label>
        {t.status}
        <Options name="status" all={t.anyStatus} options={t.statuses} value={filters.status} />
      </label>
      <TextFilter name="code" label={t.problem} value={filters.code} />
      <label>
        {t.caller}
        <Options name="caller" all={t.anyCaller} options={callers} value={filters.caller} />
      </label>
      <label>
        {t.when}
        <Options name="within" all={t.anyTime} options={t.within} value={filters.within} />
      </label>
      <TextFilter name="requestId" label={REQUEST_ID} value={filters.requestId} />
      <button class="quiet">{t.filter}</button>
      {Object.keys(filters).length > 0 && <a href={path}>{t.showAll}</a>}
    </form>
  );
};

const TextFilter = (
  { name, label, value = "" }: { name: string; label: string; value?: string | undefined },
) => (
  <label>
    {label}
    <input name={name} value={value} maxlength={NAME_LENGTH_MAX} spellcheck={false} />
  </label>
);

/** Choice of a filter. A value from the address that is not an option is added. */
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
      <option value={key} selected={key === value}>{label}</option>
    ))}
  </select>
);
