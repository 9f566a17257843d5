import { REQUEST_LOG_DAYS, REQUEST_RECORDING_MINUTES_MAX } from "@/lib/limits.ts";
import type { RecordPage } from "@/lib/paging/record_page.ts";
import {
  listRequests,
  type LoggedRequest,
  recordRequests,
  recordsUntil,
} from "@/lib/projects/list_requests.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import { problemAnchor } from "@/openapi/error_catalogue.ts";
import { requestQuery } from "@/openapi/schemas/logged_request.ts";
import type { PageHandler } from "../../handler.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { When } from "../components/when.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { OverviewTabs } from "../overview/overview_tabs.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { texts } from "../texts/mod.ts";
import { FilterForm, listQuery, readFilters } from "./request_filters.tsx";

const ROWS = 50;

const NO_REQUESTS: RecordPage<LoggedRequest> = { items: [], nextCursor: null };

const requestsPath = (home: string): string => `${home}/requests`;

export const showRequests: PageHandler<ProjectMember> = async (c) => {
  const { services, principal, state: { query } } = c.var;
  const { project, role } = principal;
  const filters = readFilters(query);
  const [frame, result] = await Promise.all([
    loadFrame(services, principal),
    attempt(async () => {
      const asked = requestQuery.read(listQuery(filters, services.clock));
      return await listRequests(services, project._id, { ...asked, limit: ROWS });
    }),
  ]);
  const { items, nextCursor } = result.problem === null ? result.value : NO_REQUESTS;
  const path = requestsPath(frame.home);
  const t = texts().requests;
  return pageReply(
    <ProjectShell frame={frame} title={t.title} current={frame.home}>
      <Bar title={t.title}>
        <OverviewTabs home={frame.home} current={path} />
      </Bar>
      <div class="sheet wide">
        <p class="muted">{t.about(REQUEST_LOG_DAYS)}</p>
        <Recording
          path={path}
          until={recordsUntil(services, project)}
          canSwitch={roleIncludes(role, "admin")}
        />
        <FilterForm path={path} filters={filters} />
        <Refusal problem={result.problem} />
        {items.length > 0 && <RequestTable requests={items} />}
        {items.length === 0 && result.problem === null && (
          <p class="empty">{Object.keys(filters).length === 0 ? t.none : t.noMatch}</p>
        )}
        <PageLinks path={path} filters={filters} nextCursor={nextCursor} />
      </div>
    </ProjectShell>,
    { status: result.problem?.status ?? 200 },
  );
};

const PageLinks = (
  { path, filters, nextCursor }: {
    path: string;
    filters: Readonly<Record<string, string>>;
    nextCursor: string | null;
  },
) => {
  const { requests: { pages }, shared: { pages: t } } = texts();
  return (
    <nav class="pages" aria-label={t.of(pages)}>
      {"cursor" in filters && <a href={addressWith(path, filters)}>{t.first(pages)}</a>}
      {nextCursor !== null && (
        <a href={addressWith(path, { ...filters, cursor: nextCursor })}>{t.more(pages)}</a>
      )}
    </nav>
  );
};

const addressWith = (path: string, filters: Readonly<Record<string, string>>): string => {
  const { cursor, ...others } = filters;
  return `${path}?${new URLSearchParams({ ...others, ...(cursor !== undefined && { cursor }) })}`;
};

/** Turns the recording of all requests on, for the maximum time, or off. */
export const recordByForm: PageHandler<ProjectMember> = async (c) => {
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const isOn = (await c.var.body.form()).get("record") === "all";
  await recordRequests(services, projectId, isOn ? REQUEST_RECORDING_MINUTES_MAX : 0);
  return seeOther(requestsPath(homeOf(projectId)));
};

const Recording = (
  { path, until, canSwitch }: { path: string; until: string | null; canSwitch: boolean },
) => {
  if (until === null && !canSwitch) return null;
  const t = texts().requests.recording;
  return (
    <form method="post" action={`${path}/recording`} class="inline">
      {until !== null && <span>{t.until(<When at={until} />)}</span>}
      {canSwitch && until === null && (
        <button class="quiet" name="record" value="all">
          {t.all(REQUEST_RECORDING_MINUTES_MAX)}
        </button>
      )}
      {canSwitch && until !== null && (
        <button class="quiet" name="record" value="failed">{t.failed}</button>
      )}
    </form>
  );
};

const RequestTable = ({ requests }: { requests: readonly LoggedRequest[] }) => {
  const { title, table: t } = texts().requests;
  return (
    <div class="scroll" role="region" aria-label={title} tabindex={0}>
      <table class="snug lines">
        <thead>
          <tr>
            <th scope="col">{t.operation}</th>
            <th scope="col">{t.status}</th>
            <th scope="col">{t.caller}</th>
            <th scope="col" class="num">{t.time}</th>
            <th scope="col">{t.when}</th>
          </tr>
        </thead>
        <tbody>{requests.map((request) => <RequestRow request={request} />)}</tbody>
      </table>
    </div>
  );
};

const RequestRow = (
  { request: { requestId, operation, method, status, code, caller, ms, leftOut, at } }: {
    request: LoggedRequest;
  },
) => {
  const t = texts().requests.table;
  return (
    <tr>
      <th scope="row">
        {operation ?? t.noOperation} <span class="muted">{method}</span>
        <small class="mono">{requestId}</small>
      </th>
      <td>
        <span class={status >= 500 ? "badge bad" : "badge"}>{status}</span>
        {code !== null && (
          <small>
            <a href={`/docs/errors#${problemAnchor(code)}`}>{breakable(code)}</a>
          </small>
        )}
      </td>
      <td>{callerText(caller)}</td>
      <td class="num">{t.ms(Math.ceil(ms))}</td>
      <td>
        <When at={at} />
        {leftOut > 0 && <small>{t.leftOut(leftOut)}</small>}
      </td>
    </tr>
  );
};

/** Lets a code wrap between its words in a narrow column. */
const breakable = (code: string) =>
  code.split("_").flatMap((word, i) => i === 0 ? [word] : ["_", <wbr />, word]);

function callerText(caller: string | null): string {
  const names: Readonly<Record<string, string>> = texts().requests.callers;
  return caller === null ? "—" : names[caller] ?? caller;
}
