import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { COLUMNS_MAX, IMPORT_BYTES_MAX, IMPORT_ROWS_MAX } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { jsonText } from "@/lib/store/json_text.ts";
import type { Json } from "@/lib/store/port.ts";
import { isObject, ownMember } from "@/lib/store/shape.ts";
import { CollectionBar } from "../collections/bar.tsx";
import { areaHtml, Refusal } from "../components/forms.tsx";
import { ProjectShell } from "../components/shell.tsx";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { cellMarkup } from "./cells.ts";
import type { FailedRow, ImportRow, ValidatedRows } from "@/lib/operations/import_rows.ts";
import type { GridContext } from "./context.ts";

const PREVIEWED_MAX = 10;
const FAILED_SHOWN = 100;
const COLUMNS_SHOWN = 12;

const Page = ({ context, children }: { context: GridContext; children?: Child }) => (
  <ProjectShell
    frame={context.frame}
    title={texts().documents.importing.page(context.collection.definition.name)}
    current={context.path}
  >
    <CollectionBar
      frame={context.frame}
      collection={context.collection.definition}
      current="documents"
    />
    <div class="sheet wide">{children}</div>
  </ProjectShell>
);

export const ImportPage = (
  { context, text, problem }: { context: GridContext; text: string; problem: Problem | null },
) => (
  <Page context={context}>
    <ImportForm
      context={context}
      text={text}
      problem={problem}
      title={texts().documents.importing.title}
    />
  </Page>
);

const ImportForm = (
  { context, text, problem, title }: {
    context: GridContext;
    text: string;
    problem: Problem | null;
    title: string;
  },
) => {
  const { importing: t } = texts().documents;
  return (
    <article class="card">
      <h2>{title}</h2>
      <p>{t.about({ bytes: IMPORT_BYTES_MAX, rows: IMPORT_ROWS_MAX, columns: COLUMNS_MAX })}</p>
      <form
        method="post"
        action={`${context.path}/import`}
        enctype="multipart/form-data"
        hx-boost="false"
      >
        <Refusal problem={problem} />
        <label>
          {t.file}
          <input type="file" name="file" accept=".csv,.json,.txt,text/csv,application/json" />
        </label>
        <label>
          {t.text}
          <textarea class="mono" name="text" rows={8} spellcheck={false}>{areaHtml(text)}</textarea>
        </label>
        <div class="acts">
          <button>{t.preview}</button>
          <a role="button" class="quiet" href={context.path}>{t.back}</a>
        </div>
      </form>
    </article>
  );
};

export const PreviewPage = (
  { context, sorted, once }: { context: GridContext; sorted: ValidatedRows; once: string },
) => {
  const { good, failed, leftOut } = sorted;
  const { importing: t } = texts().documents;
  return (
    <Page context={context}>
      <h2>{t.nothingYet}</h2>
      <p class="muted">
        {t.read(good.length, failed.length)}
        {leftOut.length > 0 && ` ${t.leftOut(leftOut.join(", "))}`}
      </p>
      <FailedRows rows={failed} />
      {good.length > 0 && (
        <>
          <FirstRows rows={good} />
          <form
            method="post"
            action={`${context.path}/import/run`}
            enctype="multipart/form-data"
            hx-boost="false"
          >
            <textarea name="rows" hidden aria-label={t.rows}>{areaHtml(rowsText(good))}</textarea>
            <input type="hidden" name="once" value={once} />
            <div class="acts">
              <button>{t.import(good.length)}</button>
              <a role="button" class="quiet" href={`${context.path}/import`}>{t.another}</a>
            </div>
          </form>
        </>
      )}
      {failed.length > 0 && <CorrectionForm context={context} rows={failed} />}
    </Page>
  );
};

/** Result of an import that did not store all rows. */
export const OutcomePage = (
  { context, stored, failed }: {
    context: GridContext;
    stored: number;
    failed: readonly FailedRow[];
  },
) => {
  const { importing: t } = texts().documents;
  return (
    <Page context={context}>
      <h2>{t.outcome(stored, failed.length)}</h2>
      <FailedRows rows={failed} />
      <CorrectionForm context={context} rows={failed} />
      <a role="button" class="quiet" href={context.path}>{t.back}</a>
    </Page>
  );
};

/** Returns rows as one line of JSON, because forms change line ends. */
const rowsText = (rows: readonly ImportRow[]): string =>
  jsonText(rows.map(({ number, document }) => ({ number, document })));

/** Form with the failed rows, to correct them and import them again. */
const CorrectionForm = (
  { context, rows }: { context: GridContext; rows: readonly FailedRow[] },
) => {
  const { importing: t } = texts().documents;
  return (
    <details>
      <summary>{t.mend(rows.length)}</summary>
      <ImportForm
        context={context}
        title={t.sameAsJson}
        text={`[\n${rows.map(({ document }) => jsonText(document)).join(",\n")}\n]`}
        problem={null}
      />
    </details>
  );
};

const FailedRows = ({ rows }: { rows: readonly FailedRow[] }) => {
  if (rows.length === 0) return null;
  const { importing: t } = texts().documents;
  return (
    <div class="scroll bounded" role="region" tabindex={0} aria-label={t.failedRows}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="num">{t.row}</th>
            <th scope="col">{t.why}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, FAILED_SHOWN).map(({ number, reason }) => (
            <tr>
              <td class="num">{countText(number)}</td>
              <td class="reason">{reason}</td>
            </tr>
          ))}
          {rows.length > FAILED_SHOWN && (
            <tr>
              <td></td>
              <td>{t.more(rows.length - FAILED_SHOWN)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
};

const FirstRows = ({ rows }: { rows: readonly ImportRow[] }) => {
  const first = rows.slice(0, PREVIEWED_MAX);
  const names = [...new Set(first.flatMap(({ document }) => Object.keys(members(document))))]
    .slice(0, COLUMNS_SHOWN);
  const { importing: t } = texts().documents;
  return (
    <div class="scroll bounded" role="region" tabindex={0} aria-label={t.firstRows}>
      <table>
        <thead>
          <tr>
            <th scope="col" class="num">{t.row}</th>
            {names.map((name) => <th scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {first.map(({ number, document }) => (
            <tr>
              <td class="num">{countText(number)}</td>
              {names.map((name) => (
                <td>
                  {raw(
                    cellMarkup(ownMember(members(document), name), {
                      path: name,
                      type: null,
                      isWord: false,
                    }),
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const members = (document: Json): { readonly [name: string]: Json } =>
  isObject(document) ? document : {};
