import type { Figure, GroupKey } from "../aggregation.ts";
import { eq } from "../filter.ts";
import { groupOrder, typeAt } from "../groups.ts";
import type { Aggregation, Definition } from "../port.ts";
import { DOCUMENT_GUARD } from "./budget.ts";
import { scalarSql } from "./columns.ts";
import { type Fragment, sql } from "./fragment.ts";
import { looksIntoDocuments, type QueryPlan } from "./plan.ts";
import { whereSql } from "./source.ts";
import { tableName } from "./table_name.ts";

/** Reads a row for each group: its keys, and behind them its figures. */
export function aggregateSql(plan: QueryPlan, query: Aggregation): Fragment {
  const { definition } = plan;
  const { keys, figures, limit } = query;
  const isRead = [...keys, ...figures].some((one) =>
    "path" in one && looksIntoDocuments(definition, eq(one.path, null))
  );
  const guard = isRead ? DOCUMENT_GUARD : plan.guard;
  const keyParts = keys.map((key) => keySql(definition, key));
  const columns = [...keyParts, ...figures.map((figure) => sql(figureSql(definition, figure)))];
  const condition = whereSql(plan, "lookup");
  const places = keys.map((_, i) => i + 1);
  const order = groupOrder(query).map(({ of, index, descending }) =>
    `${(of === "key" ? 0 : keys.length) + index + 1}${descending ? " desc" : ""}`
  );
  const text = `select ${columns.map((one) => one.sql).join(", ") || "count(*)"} ` +
    `from ${tableName(definition)} where ${guard} and (${condition.sql})` +
    (places.length > 0 ? ` group by ${places.join(", ")}` : "") +
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
  typeAt(definition, figure.path); // What is no declared scalar has no column.
  const value = scalarSql(definition, figure.path);
  return figure.op === "sum" ? `total(${value})` : `${figure.op}(${value})`;
}
