import { parseDefinition } from "@/lib/documents/definition.ts";
import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import { listSlowQuestions, type SlowQuestion } from "@/lib/documents/list_slow_questions.ts";
import {
  definitionTags,
  getCollection,
  listCollections,
  updateCollection,
} from "@/lib/documents/save_collection.ts";
import { INDEXES_MAX, QUESTION_DAYS } from "@/lib/limits.ts";
import type { Problem } from "@/lib/problems.ts";
import { type ProjectMember, roleIncludes } from "@/lib/projects/members.ts";
import type { PageContext, PageHandler } from "../../handler.ts";
import { collectionPath, tabPath } from "../collections/bar.tsx";
import { withIndex } from "../collections/indexes.ts";
import { Refusal } from "../components/forms.tsx";
import { Bar, ProjectShell } from "../components/shell.tsx";
import { DoneNote } from "../done.tsx";
import { homeOf, loadFrame } from "../frame.ts";
import { OverviewTabs } from "../overview/overview_tabs.tsx";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { countText } from "../texts/amounts.ts";
import { texts } from "../texts/mod.ts";
import { conditionsText } from "./question_text.ts";

const slowQuestionsPath = (home: string): string => `${home}/slow-questions`;

export const showSlowQuestions: PageHandler<ProjectMember> = async (c) =>
  pageReply(await slowQuestionsPage(c, null));

/** Adds the index that the page advises, unless the collection has changed since. */
export const addAdvisedIndex: PageHandler<ProjectMember> = async (c) => {
  const form = await c.var.body.form();
  const { services, principal: { project: { _id: projectId } } } = c.var;
  const { problem } = await attempt(async () => {
    const collection = await getCollection(services, projectId, form.get("collection") ?? "");
    const changed = withIndex(collection, (form.get("index") ?? "").split(","));
    const seen = { ...definitionTags(collection), fields: form.get("tag") ?? "" };
    await updateCollection(services, projectId, parseDefinition(changed), seen);
  });
  if (problem === null) return seeOther(`${slowQuestionsPath(homeOf(projectId))}?done=indexed`);
  return pageReply(await slowQuestionsPage(c, problem), { status: problem.status });
};

interface RowContext {
  readonly home: string;
  readonly collections: ReadonlyMap<string, CollectionDefinition>;
  readonly canEdit: boolean;
}

async function slowQuestionsPage(c: PageContext<ProjectMember>, problem: Problem | null) {
  const { services, principal, state: { query } } = c.var;
  const { _id: projectId } = principal.project;
  const [frame, questions, collections] = await Promise.all([
    loadFrame(services, principal),
    listSlowQuestions(services, projectId),
    listCollections(services, projectId),
  ]);
  const { home } = frame;
  const context: RowContext = {
    home,
    collections: new Map(collections.map((one) => [one.name, one])),
    canEdit: roleIncludes(principal.role, "admin"),
  };
  const t = texts().slowQuestions;
  return (
    <ProjectShell frame={frame} title={t.title} current={home}>
      <Bar title={t.title}>
        <OverviewTabs home={home} current={slowQuestionsPath(home)} />
      </Bar>
      <div class="sheet wide">
        <DoneNote query={query} sentences={t.done} />
        <Refusal problem={problem} />
        <p class="muted">{t.about(QUESTION_DAYS)}</p>
        {questions.length === 0
          ? <p class="empty">{t.none}</p>
          : <QuestionTable questions={questions} context={context} />}
      </div>
    </ProjectShell>
  );
}

const QuestionTable = (
  { questions, context }: { questions: readonly SlowQuestion[]; context: RowContext },
) => {
  const t = texts().slowQuestions;
  return (
    <div class="scroll" role="region" aria-label={t.title} tabindex={0}>
      <table class="snug lines">
        <thead>
          <tr>
            <th scope="col">{t.question}</th>
            <th scope="col" class="num">{t.timesAsked}</th>
            <th scope="col" class="num">{t.meanTime}</th>
            <th scope="col">{t.helpfulIndex}</th>
          </tr>
        </thead>
        <tbody>
          {questions.map((question) => <QuestionRow question={question} context={context} />)}
        </tbody>
      </table>
    </div>
  );
};

const QuestionRow = ({ question, context }: { question: SlowQuestion; context: RowContext }) => {
  const { collection, filter, asked, refused, meanMs, p95Ms } = question;
  const conditions = conditionsText(filter);
  const t = texts().slowQuestions;
  return (
    <tr>
      <th scope="row">
        <a href={collectionPath(context.home, collection)}>{collection}</a>
        {conditions !== "" && <code>{conditions}</code>}
        <small>{orderText(question)}</small>
      </th>
      <td class="num">
        {countText(asked)}
        {refused > 0 && <small class="bad">{t.tooSlow(refused)}</small>}
      </td>
      <td class="num">
        {t.ms(Math.round(meanMs))}
        <small>{t.p95(t.ms(Math.round(p95Ms)))}</small>
        <small>{examinedText(question)}</small>
      </td>
      <td>
        <Advice question={question} context={context} />
      </td>
    </tr>
  );
};

function orderText({ sort, total }: SlowQuestion): string {
  const t = texts().slowQuestions.order;
  if (total === "only") return t.count;
  const fields = sort.replaceAll(",", ", ");
  if (total === "none") return t.plain(fields);
  return total === "exact" ? t.withTotal(fields) : t.withEstimate(fields);
}

function examinedText({ examined, answered }: SlowQuestion): string | null {
  if (examined === null) return null;
  const t = texts().slowQuestions.examined;
  return answered === 0 ? t.forNone(examined) : t.forEach(Math.round(examined / answered));
}

const Advice = (
  { question: { collection, advice }, context: { home, collections, canEdit } }: {
    question: SlowQuestion;
    context: RowContext;
  },
) => {
  const definition = collections.get(collection);
  const t = texts().slowQuestions;
  if (advice === null || definition === undefined) return <>{t.noAdvice}</>;
  const isFull = withIndex(definition, advice).indexes.length > INDEXES_MAX;
  return (
    <>
      <code>{advice.join(", ")}</code>
      {isFull && (
        <small>
          {t.full(
            collection,
            INDEXES_MAX,
            (text) => <a href={tabPath(home, collection, "fields")}>{text}</a>,
          )}
        </small>
      )}
      {canEdit && !isFull && (
        <form method="post" action={slowQuestionsPath(home)}>
          <input type="hidden" name="collection" value={collection} />
          <input type="hidden" name="tag" value={definitionTags(definition).fields} />
          <button class="quiet" name="index" value={advice.join(",")}>{t.addIndex}</button>
        </form>
      )}
    </>
  );
};
