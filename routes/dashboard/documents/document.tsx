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
import { EditorPage, type Typed } from "./editor.tsx";
import { FIND_PREFIX, readEntries, readJsonOf, unreadable } from "./entered.ts";
import { findNames, type Found, targetOf, type Targets, targetsOf } from "./references.ts";
import {
  type CollectionContext,
  openRoom,
  openTarget,
  ownerOf,
  pathOf,
  type Room,
  serverOf,
} from "./room.ts";
import { beside, hrefOf, isTrash, readView, restarted, type View, withoutTrash } from "./view.ts";

/** A document with the tag of what was seen; of the trash, too. */
interface Seen {
  readonly document: StoredDocument;
  readonly etag: string | null;
}

async function seen(c: CollectionContext, id: Id): Promise<Seen> {
  const { json, etag } = await getDocument(c.var.services, serverOf(c), {
    collectionName: c.req.valid("param").collectionName,
    id,
    query: "include_deleted=true",
  });
  return { document: parseJson(json) as StoredDocument, etag }; // As it was stored.
}

const isJson = (form: URLSearchParams): boolean => form.get("as") === "json";

/** For who may not choose there is nothing to choose from. */
const targetsFor = async (c: CollectionContext, room: Room, asJson: boolean): Promise<Targets> =>
  room.mayWrite && !asJson
    ? await targetsOf(c, room.collection.definition.fields, ownerOf(room))
    : new Map();

/** What the grid showed that led here, of an address or of a form. */
const viewOf = (c: CollectionContext, given: URLSearchParams): View =>
  readView(pathOf(c), given.get("view") ?? "");

export const showDocument: PageHandler<ProjectMember, "collectionName" | "id"> = async (c) => {
  const query = new URLSearchParams(c.var.state.query);
  const id = requiredId(c.req.valid("param").id);
  const [room, found] = await Promise.all([openRoom(c), seen(c, id)]);
  return pageReply(
    <EditorPage
      room={room}
      view={viewOf(c, query)}
      {...found}
      targets={await targetsFor(c, room, isJson(query))}
      asJson={isJson(query)}
      typed={null}
      done={query.get("done")}
    />,
  );
};

/**
 * Saves what was changed since it was seen, and leads back to the grid; what somebody else changed
 * meanwhile is not lost.
 */
export const saveDocument: PageHandler<ProjectMember, "collectionName" | "id"> = async (c) => {
  const { services } = c.var;
  const id = requiredId(c.req.valid("param").id);
  const form = await c.var.body.form();
  const view = viewOf(c, form);
  const [target, now] = await Promise.all([openTarget(c), seen(c, id)]);
  const key = soughtIn(form);
  if (key !== null) return await editorReply(c, { form, problem: null, now, key });
  const over = form.get("over");
  const ifMatch = over ?? form.get("etag");
  const tried = await attempt(async () => {
    if (isJson(form)) {
      const body = readJsonOf(form.get("json") ?? "");
      return await writeDocument(services, target, { action: "replace", id, body, ifMatch });
    }
    const { members, faults } = readEntries(target.collection, now.document, form);
    if (faults.length > 0) throw unreadable(faults);
    if (Object.keys(members).length === 0) return null;
    return await writeDocument(services, target, { action: "patch", id, body: members, ifMatch });
  });
  if (tried.problem === null) {
    if (form.get("then") !== "stay") return seeOther(hrefOf(view, { done: "saved" }));
    const more = { ...(isJson(form) && { as: "json" }), done: "saved" };
    return seeOther(beside(view, `${view.path}/documents/${id}`, more));
  }
  return await editorReply(c, { form, problem: tried.problem, now });
};

export const showNewDocument: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const query = new URLSearchParams(c.var.state.query);
  const from = query.has("from") ? requiredId(query.get("from")!) : null;
  const [room, copied] = await Promise.all([
    openRoom(c),
    from === null ? null : seen(c, from),
  ]);
  return pageReply(
    <EditorPage
      room={room}
      view={viewOf(c, query)}
      document={null}
      etag={null}
      copied={copied?.document ?? null}
      targets={await targetsFor(c, room, isJson(query))}
      asJson={isJson(query)}
      typed={null}
      done={query.get("done")}
    />,
  );
};

export const createDocumentByForm: PageHandler<ProjectMember, "collectionName"> = async (c) => {
  const form = await c.var.body.form();
  const view = viewOf(c, form);
  const target = await openTarget(c);
  const key = soughtIn(form);
  if (key !== null) return await editorReply(c, { form, problem: null, now: null, key });
  const tried = await attempt(async () => {
    let body;
    if (isJson(form)) body = readJsonOf(form.get("json") ?? "");
    else {
      const { members, faults } = readEntries(target.collection, null, form);
      if (faults.length > 0) throw unreadable(faults);
      body = members;
    }
    await writeDocument(c.var.services, target, { action: "create", body });
  });
  if (tried.problem !== null) {
    return await editorReply(c, { form, problem: tried.problem, now: null });
  }
  if (form.get("then") !== "another") {
    return seeOther(
      hrefOf(isTrash(view) ? withoutTrash(view) : restarted(view), { done: "created" }),
    );
  }
  const more = { ...(isJson(form) && { as: "json" }), done: "created" };
  return seeOther(beside(view, `${view.path}/new`, more));
};

/**
 * The field that something is looked for to fill in. Enter presses a form's first button: with words
 * to look for that looks for them, and saves nothing.
 */
function soughtIn(form: URLSearchParams): string | null {
  const pressed = form.get("find");
  if (pressed !== null || form.has("then") || form.has("over")) return pressed;
  const entered = [...form].find(([name, text]) => name.startsWith(FIND_PREFIX) && text !== "");
  return entered === undefined ? null : entered[0].slice(FIND_PREFIX.length);
}

async function foundFor(
  c: CollectionContext,
  room: Room,
  { form, key }: { form: URLSearchParams; key: string | undefined },
): Promise<Found | null> {
  const field = room.collection.definition.fields.find((one) => one.key === key);
  const ref = field === undefined ? null : targetOf(field, ownerOf(room));
  if (field === undefined || ref === null) return null;
  const words = form.get(FIND_PREFIX + field.key) ?? "";
  return { key: field.key, words, names: await findNames(c, ref, words) };
}

interface EditorAnswer {
  readonly form: URLSearchParams;
  /** Null where nothing was refused. */
  readonly problem: Problem | null;
  readonly now: Seen | null;
  /** The field that something was looked for to fill in. */
  readonly key?: string;
}

async function editorReply(c: CollectionContext, { form, problem, now, key }: EditorAnswer) {
  const room = await openRoom(c);
  const found = await foundFor(c, room, { form, key });
  const typed: Typed = { form, problem };
  return pageReply(
    <EditorPage
      room={room}
      view={viewOf(c, form)}
      document={now?.document ?? null}
      etag={now?.etag ?? null}
      targets={await targetsFor(c, room, isJson(form))}
      asJson={isJson(form)}
      typed={typed}
      found={found}
      done={null}
    />,
    problem === null ? {} : { status: problem.status },
  );
}
