import { FREE_COLLECTIONS_MAX } from "@/lib/limits.ts";
import type { Answer, Call } from "../support/conforming_client.ts";
import { openTestApp, type TestApp, type TestProject, type TestUser } from "../support/test_app.ts";
import type { TestOptions } from "../support/test_services.ts";
import {
  type CollectionCase,
  type Members,
  type Plan,
  USERS,
  withoutDuplicates,
} from "./collections.ts";
import type { Caller, Parameter, StoredCollection } from "./model.ts";
import { type Definition, isDeclared } from "./model_types.ts";
import type { Document, Json } from "./model_values.ts";
import type { CallerChoice } from "./queries.ts";

/** A project with users, in which a case creates its own collection. */
export interface CaseProject {
  readonly app: TestApp;
  readonly project: TestProject;
  readonly users: readonly TestUser[];
  /** Returns an unused name of a collection. */
  newName(): string;
}

/** An app that all cases of a property share. */
export interface CaseProjects extends AsyncDisposable {
  next(): Promise<CaseProject>;
}

/** Number of cases per project: each creates at most two collections. */
const CASES_PER_PROJECT = Math.floor(FREE_COLLECTIONS_MAX / 2);

export async function openCaseProjects(options: TestOptions = {}): Promise<CaseProjects> {
  const app = await openTestApp(options);
  let caseProject: CaseProject | null = null;
  let left = 0;
  return {
    async next() {
      if (caseProject !== null && left-- > 0) return caseProject;
      left = CASES_PER_PROJECT - 1;
      const project = await app.project();
      const users: TestUser[] = [];
      while (users.length < USERS) users.push(await project.user());
      let names = 0;
      return caseProject = { app, project, users, newName: () => `case${names++}` };
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

export interface CreatedCollection extends StoredCollection {
  readonly caseProject: CaseProject;
  readonly definition: Definition;
  readonly documents: Document[];
}

export async function newCollection(
  caseProject: CaseProject,
  definition: Definition,
): Promise<Definition> {
  const named = { ...definition, name: caseProject.newName() };
  await caseProject.project.collection(named);
  return named;
}

/** Calls an operation on a collection with the secret key. */
export const ask = ({ project }: CaseProject, definition: Definition, call: Partial<Call>) =>
  project.asSecret({ ...call, path: `${address(definition)}${call.path ?? ""}` });

export async function createCase(
  caseProject: CaseProject,
  { definition, plans }: CollectionCase,
): Promise<CreatedCollection> {
  const named = await newCollection(caseProject, definition);
  const created: CreatedCollection = { caseProject, definition: named, documents: [] };
  for (const batch of batches(withoutDuplicates(definition, plans))) await insert(created, batch);
  return created;
}

/** Groups plans whose documents are inserted at the same time. */
function batches(plans: readonly Plan[]): Plan[][] {
  const all: Plan[][] = [];
  for (const plan of plans) {
    if (all.length === 0 || (plan.later && all.length < BATCHES_MAX)) all.push([]);
    all.at(-1)!.push(plan);
  }
  return all;
}

const BATCHES_MAX = 4;

/** Inserts, replaces and deletes as planned; the new documents are appended to the collection's. */
export async function insert(created: CreatedCollection, plans: readonly Plan[]): Promise<void> {
  if (plans.length === 0) return;
  const { app } = created.caseProject;
  app.clock.advance(1);
  const members = plans.map((plan) => ({
    now: withOwner(created, plan, plan.members),
    before: plan.before && withOwner(created, plan, plan.before),
  }));
  const documents = members.map(({ now, before }) => before ?? now);
  const answer = await mustAnswer(created, 201, { path: "/bulk", body: bodyText({ documents }) });
  const createdAt = timestamp(app);
  app.clock.advance(1);
  for (const [i, { now, before }] of members.entries()) {
    const _id: string = answer.body.data.ids[i];
    const meta = { createdAt, updatedAt: createdAt, isDeleted: false, deletedAt: null };
    created.documents.push({ _id, ...before ?? now, ...meta });
    if (before !== null) await replace(created, _id, now);
    if (plans[i]!.deleted) await remove(created, _id);
  }
}

/** Adds the owner, unless a strict collection has no field for it. */
function withOwner(
  { definition, caseProject }: CreatedCollection,
  { owner }: Plan,
  members: Members,
): Members {
  const { rls } = definition;
  if (owner === null || (definition.strict && !isDeclared(definition, rls.ownerField))) {
    return members;
  }
  return { ...members, [rls.ownerField]: caseProject.users[owner]!.id };
}

/** Replaces a document. Without an owner in the body the owner stays, if rows have one. */
export async function replace(
  created: CreatedCollection,
  _id: string,
  members: Members,
): Promise<void> {
  const call = { method: "PUT", path: `/${_id}`, body: bodyText(members) };
  await mustAnswer(created, 200, call);
  const { enabled, ownerField } = created.definition.rls;
  change(created, _id, (document) => ({
    _id,
    ...(enabled && Object.hasOwn(document, ownerField) && { [ownerField]: document[ownerField]! }),
    ...members,
    createdAt: document.createdAt,
    updatedAt: timestamp(created.caseProject.app),
    isDeleted: false,
    deletedAt: null,
  }));
}

export async function remove(created: CreatedCollection, _id: string): Promise<void> {
  await mustAnswer(created, 200, { method: "DELETE", path: `/${_id}` });
  const now = timestamp(created.caseProject.app);
  change(created, _id, (document) => ({
    ...document,
    isDeleted: true,
    deletedAt: now,
    updatedAt: now,
  }));
}

export async function recover(created: CreatedCollection, _id: string): Promise<void> {
  await mustAnswer(created, 200, { method: "PATCH", path: `/${_id}/recover` });
  const updatedAt = timestamp(created.caseProject.app);
  change(created, _id, (document) => ({
    ...document,
    ...(document.isDeleted && { updatedAt }),
    isDeleted: false,
    deletedAt: null,
  }));
}

export async function destroy(created: CreatedCollection, _id: string): Promise<void> {
  await mustAnswer(created, 200, { method: "DELETE", path: `/${_id}?permanent=true` });
  created.documents.splice(created.documents.findIndex((document) => document._id === _id), 1);
}

function change(
  { documents }: CreatedCollection,
  _id: string,
  to: (document: Document) => Document,
): void {
  const at = documents.findIndex((document) => document._id === _id);
  documents[at] = to(documents[at]!);
}

const timestamp = ({ clock }: TestApp): string => new Date(clock.now()).toISOString();

async function mustAnswer(created: CreatedCollection, status: number, call: Call): Promise<Answer> {
  const { caseProject, definition } = created;
  const answer = await ask(caseProject, definition, call);
  if (answer.status === status) return answer;
  throw new Error(
    `The case could not be set up: ${call.method ?? "POST"} ${call.path} ` +
      `${call.body ?? ""} answered ${answer.text}\n${JSON.stringify(definition)}`,
  );
}

const address = ({ name }: Definition): string => `/api/data/${name}`;

/** Returns JSON that keeps the sign of -0. */
export function bodyText(value: Json | { readonly [name: string]: unknown }): string {
  if (Object.is(value, -0)) return "-0";
  if (Array.isArray(value)) return `[${value.map(bodyText).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}:${bodyText(one as Json)}`);
  return `{${members.join(",")}}`;
}

/** Replaces the placeholders of a generated query by ids and times. */
export function fillPlaceholders(
  { caseProject, documents }: CreatedCollection,
  parameters: readonly Parameter[],
) {
  const of = <T>(list: readonly T[], n: string, otherwise: string, read: (one: T) => string) =>
    list.length === 0 ? otherwise : read(list[Number(n) % list.length]!);
  const fill = (text: string) =>
    text
      .replaceAll(/@id(\d)/g, (_, n) => of(documents, n, "0".repeat(24), ({ _id }) => _id))
      .replaceAll(/@user(\d)/g, (_, n) => of(caseProject.users, n, "", ({ id }) => id))
      .replaceAll(/@time(\d)/g, (_, n) =>
        of(documents, n, "2026-01-31T12:00:00.000Z", ({ updatedAt }) => updatedAt));
  return parameters.map(([name, text]): Parameter => [name, fill(text)]);
}

export const queryText = (parameters: readonly Parameter[]): string =>
  parameters.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");

/** Lists the collection as one of the case's callers. */
export function askFor(
  created: CreatedCollection,
  caller: CallerChoice,
  query: string,
  path = "",
): Promise<Answer> {
  const { project, users } = created.caseProject;
  const call = { path: `${address(created.definition)}${path}${query && `?${query}`}` };
  if (caller === "secret") return project.asSecret(call);
  return project.asPublic(call, caller === "publishable" ? undefined : users[caller]);
}

export function callerOf(
  { caseProject }: Pick<CreatedCollection, "caseProject">,
  choice: CallerChoice,
): Caller {
  if (choice === "secret") return { kind: "secret" };
  return {
    kind: "publishable",
    userId: choice === "publishable" ? null : caseProject.users[choice]!.id,
  };
}

/** Runs a comparison and adds the request and the documents to the message of a failure. */
export function explain(
  { definition, documents }: CreatedCollection,
  caller: CallerChoice,
  { parameters, answer }: { parameters: readonly Parameter[]; answer: Answer },
  compare: () => void,
): void {
  try {
    compare();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(
      [
        `GET ${address(definition)}?${queryText(parameters)}`,
        `as ${typeof caller === "number" ? `user ${caller}` : caller}`,
        `decoded: ${parameters.map((pair) => pair.join("=")).join(" & ")}`,
        `collection: ${JSON.stringify(definition)}`,
        `documents, those in the trash included:${
          documents.map((one) => `\n  ${bodyText(one)}`).join("")
        }`,
        `answer: ${answer.status} ${answer.text}`,
        message,
      ].join("\n"),
    );
  }
}
