import type { StoredDocument } from "@/lib/documents/collection.ts";
import { getDocument } from "@/lib/documents/get_document.ts";
import { writeDocument } from "@/lib/documents/write_document.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import type { Id } from "@/lib/store/port.ts";
import type { PageHandler } from "../../handler.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { EditorPage, type EnteredForm } from "./editor.tsx";
import { FIND_PREFIX, invalidFields, parseDocumentJson, readEntries } from "./entered.ts";
import { findNames, type FoundNames, loadTargets, targetName, type Targets } from "./references.ts";
import {
  type Context,
  documentsPath,
  type GridContext,
  loadContext,
  openTarget,
  ownerField,
  serverCaller,
} from "./context.ts";
import {
  gridPath,
  isTrash,
  readView,
  toFirstPage,
  type View,
  withoutTrash,
  withView,
} from "./view.ts";

/** A stored document, which may be in the trash, with its entity tag. */
interface StoredVersion {
  readonly document: StoredDocument;
  readonly etag: string | null;
}

async function loadVersion(c: Context, id: Id): Promise<StoredVersion> {
  const { json, etag } = await getDocument(c.var.services, serverCaller(c), {
    collectionName: c.req.valid("param").collectionName,
    id,
    query: "include_deleted=true",
  });
  return { document: parseJson(json) as StoredDocument, etag };
}

const isJson = (form: URLSearchParams): boolean => form.get("as") === "json";

/** Loads the targets of references, or none if the member cannot choose them. */
const loadEditorTargets = async (
  c: Context,
  context: GridContext,
  asJson: boolean,
): Promise<Targets> =>
  context.canWrite && !asJson
    ? await loadTargets(c, context.collection.definition.fields, ownerField(context))
    : new Map();

/** Returns the view of the grid from which the member came. */
const readCarriedView = (c: Context, given: URLSearchParams): View =>
  readView(documentsPath(c), given.get("view") ?? "");

export const showDocument: PageHandler<ProjectMember, "collectionName" | "id"> = async (c) => {
  const query = new URLSearchParams(c.var.state.query);
  const id = requiredId(c.req.valid("param").id);
  const [context, found] = await Promise.all([loadContext(c), loadVersion(c, id)]);
  return pageReply(
    <EditorPage
      context={context}
      view={readCarriedView(c, query)}
      {...found}
      targets={await loadEditorTargets(c, context, isJson(query))}
      asJson={isJson(query)}
      typed={null}
      done={query.get("done")}
    />,
  );
};

/** Saves the changed fields. Does not overwrite changes saved after the form was opened. */
export const saveDocument: PageHandler<ProjectMember, "collectionName" | "id"> = async (c) => {
  const { services } = c.var;
  const id = requiredId(c.req.valid("param").id);
  const form = await c.var.body.form();
  const view = readCarriedView(c, form);
  const [target, now] = await Promise.all([openTarget(c), loadVersion(c, id)]);
  const key = searchedField(form);
  if (key !== null) return await editorReply(c, { form, problem: null, now, key });
  const over = form.get("over");
  const ifMatch = over ?? form.get("etag");
  const result = await attempt(async () => {
    if (isJson(form)) {
      const body = parseDocumentJson(form.get("json") ?? "");
      return await writeDocument(services, target, { action: "replace", id, body, ifMatch });
    }
    const { members, faults } = readEntries(target.collection, now.document, form);
    if (faults.length > 0) throw invalidFields(faults);
    if (Object.keys(members).length === 0) return null;
    return await writeDocument(services, target, { action: "patch", id, body: members, ifMatch });
  });
  if (result.problem === null) {
    if (form.get("then") !== "stay") return seeOther(gridPath(view, { done: "saved" }));
    const more = { ...(isJson(form) && { as: "json" }), done: "saved" };
    return seeOther(withView(view, `${view.path}/documents/${id}`, more));
  }
  return await editorReply(c, { form, problem: result.problem, now });
};

export const showNewDocument: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const query = new URLSearchParams(c.var.state.query);
  const from = query.has("from") ? requiredId(query.get("from")!) : null;
  const [context, copied] = await Promise.all([
    loadContext(c),
    from === null ? null : loadVersion(c, from),
  ]);
  return pageReply(
    <EditorPage
      context={context}
      view={readCarriedView(c, query)}
      document={null}
      etag={null}
      copied={copied?.document ?? null}
      targets={await loadEditorTargets(c, context, isJson(query))}
      asJson={isJson(query)}
      typed={null}
      done={query.get("done")}
    />,
  );
};

export const createDocumentByForm: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = readCarriedView(c, form);
  const target = await openTarget(c);
  const key = searchedField(form);
  if (key !== null) return await editorReply(c, { form, problem: null, now: null, key });
  const result = await attempt(async () => {
    let body;
    if (isJson(form)) body = parseDocumentJson(form.get("json") ?? "");
    else {
      const { members, faults } = readEntries(target.collection, null, form);
      if (faults.length > 0) throw invalidFields(faults);
      body = members;
    }
    await writeDocument(c.var.services, target, { action: "create", body });
  });
  if (result.problem !== null) {
    return await editorReply(c, { form, problem: result.problem, now: null });
  }
  if (form.get("then") !== "another") {
    return seeOther(
      gridPath(isTrash(view) ? withoutTrash(view) : toFirstPage(view), { done: "created" }),
    );
  }
  const more = { ...(isJson(form) && { as: "json" }), done: "created" };
  return seeOther(withView(view, `${view.path}/new`, more));
};

/** Returns the field to search; null to save. Enter searches if a search field has text. */
function searchedField(form: URLSearchParams): string | null {
  const pressed = form.get("find");
  if (pressed !== null || form.has("then") || form.has("over")) return pressed;
  const entered = [...form].find(([name, text]) => name.startsWith(FIND_PREFIX) && text !== "");
  return entered === undefined ? null : entered[0].slice(FIND_PREFIX.length);
}

async function searchReference(
  c: Context,
  context: GridContext,
  { form, key }: { form: URLSearchParams; key: string | undefined },
): Promise<FoundNames | null> {
  const field = context.collection.definition.fields.find((one) => one.key === key);
  const ref = field === undefined ? null : targetName(field, ownerField(context));
  if (field === undefined || ref === null) return null;
  const words = form.get(FIND_PREFIX + field.key) ?? "";
  return { key: field.key, words, names: await findNames(c, ref, words) };
}

interface EditorState {
  readonly form: URLSearchParams;
  /** Problem of the form, or null. */
  readonly problem: Problem | null;
  readonly now: StoredVersion | null;
  /** Key of the field whose reference was searched. */
  readonly key?: string;
}

async function editorReply(c: Context, { form, problem, now, key }: EditorState) {
  const context = await loadContext(c);
  const found = await searchReference(c, context, { form, key });
  const typed: EnteredForm = { form, problem };
  return pageReply(
    <EditorPage
      context={context}
      view={readCarriedView(c, form)}
      document={now?.document ?? null}
      etag={now?.etag ?? null}
      targets={await loadEditorTargets(c, context, isJson(form))}
      asJson={isJson(form)}
      typed={typed}
      found={found}
      done={null}
    />,
    problem === null ? {} : { status: problem.status },
  );
}
