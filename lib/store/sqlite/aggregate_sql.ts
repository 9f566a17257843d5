import type { Figure, GroupKey } from "../aggregation.ts";
import { eq } from "../filter.ts";
import { groupOrder, scalarTypeAt } from "../groups.ts";
import type { Aggregation, Definition } from "../port.ts";
import { DOCUMENT_GUARD } from "./budget.ts";
import { scalarSql } from "./columns.ts";
import { type Fragment, sql } from "./fragment.ts";
import { looksIntoDocuments, type QueryPlan } from "./plan.ts";
import { whereSql } from "./source.ts";
import { tableName } from "./table_name.ts";

/** Returns the statement that reads a row for each group: its keys, followed by its figures. */
export function aggregateSql(plan: QueryPlan, query: Aggregation): Fragment {
  const { definition } = plan;
  const { keys, figures, limit } = query;
  const readsDocuments = [...keys, ...figures].some((one) =>
    "path" in one && looksIntoDocuments(definition, eq(one.path, null))
  );
  const guard = readsDocuments ? DOCUMENT_GUARD : plan.guard;
  const keyParts = keys.map((key) => keySql(definition, key));
  const columns = [...keyParts, ...figures.map((figure) => sql(figureSql(definition, figure)))];
  const condition = whereSql(plan, "lookup");
  const groupColumns = keys.map((_, i) => i + 1);
  const order = groupOrder(query).map(({ of, index, descending }) =>
    `${(of === "key" ? 0 : keys.length) + index + 1}${descending ? " desc" : ""}`
  );
  const text = `select ${columns.map((one) => one.sql).join(", ") || "count(*)"} ` +
    `from ${tableName(definition)} where ${guard} and (${condition.sql})` +
    (groupColumns.length > 0 ? ` group by ${groupColumns.join(", ")}` : "") +
    (order.length > 0 ? ` order by ${order.join(", ")}` : "") + " limit ?+0";
  return sql(text, ...columns.flatMap(({ values }) => values), ...condition.values, limit + 1);
}

function keySql(definition: Definition, { path, bucket }: GroupKey): Fragment {
  const value = scalarSql(definition, path);
  return bucket === undefined
    ? sql(value)
    : sql(`bucket(?, ?, ${value})`, bucket.unit, bucket.timeZone);
}

function figureSql(definition: Definition, figure: Figure): string {
  if (figure.op === "count") return "count(*)";
  scalarTypeAt(definition, figure.path); // Throws if it is not a declared scalar.
  const value = scalarSql(definition, figure.path);
  return figure.op === "sum" ? `total(${value})` : `${figure.op}(${value})`;
}
