import { AI_TIMEOUT_MS } from "@/lib/limits.ts";
import { IMPORT_EXTRA_MS } from "@/openapi/paths/project_documents.ts";
import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { askInWords } from "./ask.ts";
import { createDocumentByForm, saveDocument, showDocument, showNewDocument } from "./document.tsx";
import { showExport } from "./export.ts";
import { chooseColumns, chooseFilter, chooseSearch } from "./forms.ts";
import { showDocuments } from "./grid.tsx";
import { previewImport, runImport, showImport } from "./import.tsx";
import { followDocuments } from "./live.tsx";
import { actOnDocuments } from "./selection.tsx";
import { changeViews } from "./saved_views.ts";

const COLLECTION = "/dashboard/projects/{projectId}/collections/{collectionName}";

export function documentsPages(mount: Mount): void {
  const viewer = member("viewer");
  const admin = member("admin");
  mount(get(COLLECTION, viewer), showDocuments);
  mount(get(`${COLLECTION}/filter`, viewer), chooseFilter);
  mount(get(`${COLLECTION}/search`, viewer), chooseSearch);
  mount(post(`${COLLECTION}/columns`, viewer), chooseColumns);
  mount(get(`${COLLECTION}/export`, viewer), showExport);
  mount(post(`${COLLECTION}/views`, admin), changeViews);
  mount(post(`${COLLECTION}/ask`, admin, { extraMs: AI_TIMEOUT_MS }), askInWords);
  mount(post(`${COLLECTION}/documents`, admin), actOnDocuments);
  mount(get(`${COLLECTION}/documents/live`, viewer), followDocuments);
  mount(get(`${COLLECTION}/documents/{id}`, viewer), showDocument);
  mount(post(`${COLLECTION}/documents/{id}`, admin), saveDocument);
  mount(get(`${COLLECTION}/new`, admin), showNewDocument);
  mount(post(`${COLLECTION}/new`, admin), createDocumentByForm);
  mount(get(`${COLLECTION}/import`, admin), showImport);
  mount(post(`${COLLECTION}/import`, admin), previewImport);
  mount(
    post(`${COLLECTION}/import/run`, admin, { extraMs: IMPORT_EXTRA_MS }),
    runImport,
  );
}
