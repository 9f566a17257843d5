import type { StoredDocument } from "@/lib/documents/collection.ts";
import { createDocument } from "@/lib/documents/create_document.ts";
import { getDocument } from "@/lib/documents/get_document.ts";
import { patchDocument, replaceDocument } from "@/lib/documents/write_document.ts";
import { requiredId } from "@/lib/ids.ts";
import { Problem } from "@/lib/problems.ts";
import type { ProjectMember } from "@/lib/projects/members.ts";
import { parseJson } from "@/lib/store/json_text.ts";
import type { Id } from "@/lib/store/port.ts";
import type { Handler } from "../../call.ts";
import { attempt, pageReply, seeOther } from "../replies.ts";
import { EditorPage, type Typed } from "./editor.tsx";
import { readEntries, readJsonOf, unreadable } from "./entered.ts";
import { type MemberCall, openRoom, openTarget, pathOf, serverOf } from "./room.ts";

/** A document with the tag of what was seen; of the trash, too. */
interface Seen {
  readonly document: StoredDocument;
  readonly etag: string | null;
}

async function seen(call: MemberCall, id: Id): Promise<Seen> {
  const { json, etag } = await getDocument(call.services, serverOf(call), {
    collectionName: call.param("collectionName"),
    id,
    query: "include_deleted=true",
  });
  return { document: parseJson(json) as StoredDocument, etag }; // As it was stored.
}

const isJson = (form: URLSearchParams): boolean => form.get("as") === "json";

export const showDocument: Handler<ProjectMember> = async (call) => {
  const query = new URLSearchParams(call.query);
  const [room, found] = await Promise.all([
    openRoom(call),
    seen(call, requiredId(call.param("id"))),
  ]);
  return pageReply(
    <EditorPage
      room={room}
      {...found}
      asJson={isJson(query)}
      typed={null}
      done={query.get("done")}
    />,
  );
};

/** Saves what was changed since it was seen; what somebody else changed meanwhile is not lost. */
export const saveDocument: Handler<ProjectMember> = async (call) => {
  const id = requiredId(call.param("id"));
  const form = await call.form();
  const [target, now] = await Promise.all([openTarget(call), seen(call, id)]);
  const over = form.get("over");
  const ifMatch = over ?? form.get("etag");
  const tried = await attempt(async () => {
    if (isJson(form)) {
      const body = readJsonOf(form.get("json") ?? "");
      return await replaceDocument(call.services, target, { id, body, ifMatch });
    }
    const { members, faults } = readEntries(target.collection, now.document, form);
    if (faults.length > 0) throw unreadable(faults);
    if (Object.keys(members).length === 0) return null;
    return await patchDocument(call.services, target, { id, body: members, ifMatch });
  });
  if (tried.problem === null) {
    const as = isJson(form) ? "as=json&" : "";
    return seeOther(`${pathOf(call)}/documents/${id}?${as}done=saved`);
  }
  return await editorReply(call, { form, problem: tried.problem, now });
};

export const showNewDocument: Handler<ProjectMember> = async (call) => {
  const query = new URLSearchParams(call.query);
  const from = query.get("from");
  const [room, copied] = await Promise.all([
    openRoom(call),
    from === null ? null : seen(call, requiredId(from)),
  ]);
  return pageReply(
    <EditorPage
      room={room}
      document={null}
      etag={null}
      copied={copied?.document ?? null}
      asJson={isJson(query)}
      typed={null}
      done={null}
    />,
  );
};

export const createDocumentByForm: Handler<ProjectMember> = async (call) => {
  const form = await call.form();
  const target = await openTarget(call);
  const tried = await attempt(async () => {
    let body;
    if (isJson(form)) body = readJsonOf(form.get("json") ?? "");
    else {
      const { members, faults } = readEntries(target.collection, null, form);
      if (faults.length > 0) throw unreadable(faults);
      body = members;
    }
    return await createDocument(call.services, target, { body, idempotencyKey: null });
  });
  if (tried.problem !== null) {
    return await editorReply(call, { form, problem: tried.problem, now: null });
  }
  const { _id } = parseJson(tried.value) as StoredDocument; // As it was stored.
  return seeOther(`${pathOf(call)}/documents/${_id}?done=created`);
};

async function editorReply(
  call: MemberCall,
  { form, problem, now }: { form: URLSearchParams; problem: Problem; now: Seen | null },
) {
  const room = await openRoom(call);
  const typed: Typed = { form, problem };
  return pageReply(
    <EditorPage
      room={room}
      document={now?.document ?? null}
      etag={now?.etag ?? null}
      asJson={isJson(form)}
      typed={typed}
      done={null}
    />,
    { status: problem.status },
  );
}
