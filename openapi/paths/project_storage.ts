import { z } from "@hono/zod-openapi";
import { parseStorageInput, type StorageInput, storageRules } from "@/lib/files/storage_input.ts";
import { answered } from "../answers.ts";
import { contract, type ParsedBody } from "../contract.ts";
import { projectId } from "../parameters.ts";
import {
  CHECK_EXAMPLE,
  OWN_STORAGE_EXAMPLE,
  OwnStorage,
  PROJECT_STORAGE_EXAMPLE,
  ProjectStorage,
  STORAGE_INPUT_EXAMPLE,
  StorageCheck,
  StorageSettingsInput,
} from "../schemas/project_storage.ts";
import { projectMember } from "../security.ts";

const TAG = "Project files";
const PATH = "/api/projects/{projectId}/storage";

const LEFT_BEHIND =
  "Before a bucket is left, uploads that have expired are ended, and removals that " +
  "failed are tried once more; what cannot be removed then stays in it.";

const storageBody: ParsedBody<StorageInput> = {
  schema: StorageSettingsInput,
  // Which addresses are taken is for the server to say.
  parse: (members, { services }) => parseStorageInput(storageRules(services), members),
  example: STORAGE_INPUT_EXAMPLE,
  description: "The bucket and its keys.",
};

export const getProjectStorage = contract({
  operationId: "getProjectStorage",
  tag: TAG,
  method: "get",
  path: PATH,
  summary: "Get a project's storage for its members",
  description: "The project's own bucket, if it has one, and what its files take.",
  security: projectMember("viewer"),
  params: { projectId },
  success: answered("Storage read", "The storage.", {
    data: ProjectStorage,
    example: PROJECT_STORAGE_EXAMPLE,
  }),
  problems: ["STORAGE_UNAVAILABLE"],
});

export const setProjectStorage = contract({
  operationId: "setProjectStorage",
  tag: TAG,
  method: "put",
  path: PATH,
  summary: "Connect a bucket for the project's admins",
  description:
    "Files go to this bucket from now on. Those in the service's storage stay there, and are " +
    "charged as before. Endpoint and bucket cannot change while files are in the present one; " +
    `keys, \`publicUrl\`, region and \`pathStyle\` may at any time. ${LEFT_BEHIND}`,
  security: projectMember("admin"),
  params: { projectId },
  body: storageBody,
  success: answered("Storage saved", "The bucket as it is stored, without its keys.", {
    data: OwnStorage,
    example: OWN_STORAGE_EXAMPLE,
  }),
  problems: ["INVALID_INPUT", "STORAGE_IN_USE"],
});

export const clearProjectStorage = contract({
  operationId: "clearProjectStorage",
  tag: TAG,
  method: "delete",
  path: PATH,
  summary: "Disconnect the bucket for the project's admins",
  description: "Files go to the service's storage from now on. Refused while files are in the " +
    `bucket; without one nothing changes. ${LEFT_BEHIND}`,
  security: projectMember("admin"),
  params: { projectId },
  success: answered("Storage cleared", "Files go to the service's storage.", {
    data: z.strictObject({ provider: z.literal("internal") }),
    example: { provider: "internal" },
  }),
  problems: ["STORAGE_IN_USE"],
});

export const checkProjectStorage = contract({
  operationId: "checkProjectStorage",
  tag: TAG,
  method: "post",
  path: `${PATH}/check`,
  summary: "Check a bucket for the project's admins",
  description:
    "Does in the project's bucket all that an upload does, as Corbel, as a browser and " +
    "as a stranger do it, and says of each step how it went. It leaves nothing there.",
  security: projectMember("admin"),
  params: { projectId },
  success: answered("Storage checked", "How each step went; `ok` is false if one failed.", {
    data: StorageCheck,
    example: CHECK_EXAMPLE,
  }),
  problems: ["INVALID_INPUT"],
});

/** In the order of the reference. */
export const PROJECT_STORAGE = {
  getProjectStorage,
  setProjectStorage,
  clearProjectStorage,
  checkProjectStorage,
};
