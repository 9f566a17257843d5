import { confirmUpload } from "@/lib/files/confirm_upload.ts";
import { requestUpload } from "@/lib/files/request_upload.ts";
import { changeVisibility } from "@/lib/files/change_visibility.ts";
import { pathFromUrl } from "@/lib/files/paths.ts";
import { NO_STORE, ok } from "@/lib/http/respond.ts";
import type { PROJECT_FILES } from "@/openapi/paths/project_files.ts";
import type { HandlersOf } from "../handler.ts";
import { withoutUrl } from "../storage/storage.ts";

export const projectFiles: HandlersOf<typeof PROJECT_FILES> = {
  requestProjectUpload: async (c) => {
    const { services, principal } = c.var;
    const { size: bytes, ...described } = c.req.valid("json");
    const input = { ...described, bytes };
    const requested = await requestUpload(services, principal.projectId, input);
    return { ...ok(200, JSON.stringify(requested), "Upload requested"), headers: [NO_STORE] };
  },

  confirmProjectUpload: async (c) => {
    const { services, principal } = c.var;
    const { size: bytes, filePath: path } = c.req.valid("json");
    const confirmed = await confirmUpload(services, principal, { path, bytes });
    const withWarning = { ...confirmed, ...withoutUrl(confirmed) };
    return ok(200, JSON.stringify(withWarning), "Upload confirmed");
  },

  changeProjectFile: async (c) => {
    const { services, principal } = c.var;
    const { path, visibility } = c.req.valid("json");
    const changed = await changeVisibility(services, principal, {
      path: pathFromUrl(path),
      visibility,
    });
    return ok(200, JSON.stringify(changed), "File changed");
  },
};
