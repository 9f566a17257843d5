import type { Child } from "hono/jsx";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { readRequestCounts, type RequestCount } from "@/lib/projects/request_counts.ts";
import type { PageHandler } from "../../handler.ts";
import { When } from "../components/when.tsx";
import { homeOf } from "../frame.ts";
import { partReply } from "../replies.ts";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";

/** Counts of requests, of the last hour by minute and of the last 30 days by day. */
export interface RequestHistory {
  readonly minutes: readonly RequestCount[];
  readonly days: readonly RequestCount[];
}

/** Replies with the charts and tables, which the page reloads regularly. */
export const showRequestCounts: PageHandler<ProjectMember> = async (c) => {
  const { services, principal } = c.var;
  const counts = await readRequestCounts(services, principal.project._id);
  return partReply(
    <>
      <Charts {...counts} />
      <div id="request-tables" hx-swap-oob="innerHTML">
        <Tables {...counts} />
      </div>
    </>,
  );
};

/** Attributes for htmx that keep the shown charts if the reload fails. */
const KEEP_ON_ERROR = { "hx-status:4xx": "swap:none", "hx-status:5xx": "swap:none" };

export const RequestCounts = (
  { projectId, counts }: { projectId: string; counts: RequestHistory },
) => {
  const t = texts().overview.requests;
  return (
    <article class="card">
      <h2>{t.title}</h2>
      <p>
        <a href={`${homeOf(projectId)}/requests`}>{t.failed}</a>
      </p>
      <div
        class="charts"
        hx-get={`${homeOf(projectId)}/request-counts`}
        hx-trigger="every 10s"
        hx-swap="innerHTML"
        {...KEEP_ON_ERROR}
      >
        <Charts {...counts} />
      </div>
      <details>
        <summary>{t.asTables}</summary>
        <div id="request-tables">
          <Tables {...counts} />
        </div>
      </details>
    </article>
  );
};

const Charts = ({ minutes, days }: RequestHistory) => (
  <>
    <Chart span="minutes" counts={minutes} textOf={minuteText} />
    <Chart span="days" counts={days} textOf={dayText} />
  </>
);

const minuteText = ({ from }: RequestCount): string => `${from.slice(11, 16)} UTC`;
const dayText = ({ from }: RequestCount): string => from.slice(0, 10);

/** Dimensions of a chart in pixels. */
const STEP = 10;
const BAR = 7;
const HEIGHT = 100;

interface ChartProps {
  readonly span: keyof RequestHistory;
  readonly counts: readonly RequestCount[];
  /** Returns the time of a count in words. */
  readonly textOf: (count: RequestCount) => string;
}

const Chart = ({ span, counts, textOf }: ChartProps) => {
  const t = texts().overview.requests;
  const { title, ago, upTo } = t[span];
  const highest = Math.max(...counts.map(({ requests }) => requests));
  const summary = `${title}: ${sumText(counts)}`;
  return (
    <figure class="chart">
      <figcaption>
        <b>{title}</b> <small>{sumText(counts)}</small>
      </figcaption>
      <svg
        viewBox={`0 0 ${counts.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {counts.map((count, i) => (
          <Bars count={count} x={i * STEP} highest={highest} text={textOf(count)} />
        ))}
      </svg>
      <p class="ends">
        <small>{ago(counts.length)}</small>
        <small>{highest === 0 ? t.noneYet : upTo(highest)}</small>
        <small>{t.now}</small>
      </p>
    </figure>
  );
};

/** Bars of one count. The title covers the full height, so that pointing at a low bar is easy. */
const Bars = (
  { count: { requests, errors }, x, highest, text }: {
    count: RequestCount;
    x: number;
    highest: number;
    text: string;
  },
) => {
  const [all, bad] = [requests, errors].map((one) => barHeight(one, highest));
  return (
    <g>
      <title>{`${text}: ${sumText([{ requests, errors }])}`}</title>
      <rect class="slot" x={x} y="0" width={STEP} height={HEIGHT} />
      {requests > 0 && <rect class="all" x={x} y={HEIGHT - all!} width={BAR} height={all!} />}
      {errors > 0 && <rect class="bad" x={x} y={HEIGHT - bad!} width={BAR} height={bad!} />}
    </g>
  );
};

const BAR_HEIGHT_MIN = 2;

/** Returns the height of a bar. Counts above 0 have a visible bar. */
const barHeight = (count: number, highest: number): number =>
  count === 0 ? 0 : Math.max(BAR_HEIGHT_MIN, Math.round(count / highest * HEIGHT));

function sumText(counts: readonly Pick<RequestCount, "requests" | "errors">[]): string {
  const [requests, errors] = (["requests", "errors"] as const).map((name) =>
    counts.reduce((sum, count) => sum + count[name], 0)
  );
  const t = texts().overview.requests;
  return errors === 0 ? t.sum(requests!) : t.sumWithFailed(requests!, errors!);
}

const Tables = ({ minutes, days }: RequestHistory) => (
  <>
    <CountTable span="minutes" counts={minutes} whenOf={({ from }) => <When at={from} />} />
    <CountTable span="days" counts={days} whenOf={(day) => <>{dayText(day)}</>} />
  </>
);

const CountTable = (
  { span, counts, whenOf }: Pick<ChartProps, "span" | "counts"> & {
    whenOf: (count: RequestCount) => Child;
  },
) => {
  const t = texts().overview.requests;
  const nonZero = counts.filter(({ requests }) => requests > 0).toReversed();
  return (
    <table>
      <caption>{t[span].title}</caption>
      <thead>
        <tr>
          <th scope="col">{t.from}</th>
          <th scope="col" class="num">{t.title}</th>
          <th scope="col" class="num">{t.refusedOrFailed}</th>
        </tr>
      </thead>
      <tbody>
        {nonZero.map((count) => (
          <tr>
            <td>{whenOf(count)}</td>
            <td class="num">{countText(count.requests)}</td>
            <td class="num">{countText(count.errors)}</td>
          </tr>
        ))}
        {nonZero.length === 0 && (
          <tr>
            <td colspan={3}>{t.none}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
};
