import { z } from "@hono/zod-openapi";
import { parseStorageInput, type StorageInput, storageRules } from "@/lib/files/storage_input.ts";
import { okAnswer } from "../answers.ts";
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
  "Before a bucket is replaced, expired uploads are removed and failed removals are " +
  "retried once; objects that cannot be removed stay in it.";

const storageBody: ParsedBody<StorageInput> = {
  schema: StorageSettingsInput,
  // The server's settings determine the allowed addresses.
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
  description: "The project's own bucket, if it has one, and the usage of its files.",
  security: projectMember("viewer"),
  params: { projectId },
  success: okAnswer("Storage read", "The storage.", {
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
  description: "New files are stored in this bucket. Files in the service's storage stay there, " +
    "and are charged as before. Endpoint and bucket cannot change while files are in the current " +
    `one; keys, \`publicUrl\`, region and \`pathStyle\` can always change. ${LEFT_BEHIND}`,
  security: projectMember("admin"),
  params: { projectId },
  body: storageBody,
  success: okAnswer("Storage saved", "The stored bucket, without its keys.", {
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
  description: "New files are stored in the service's storage. Refused while files are in the " +
    `bucket; without a bucket, nothing changes. ${LEFT_BEHIND}`,
  security: projectMember("admin"),
  params: { projectId },
  success: okAnswer("Storage cleared", "The service's storage is used.", {
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
  description: "Runs all steps of an upload in the project's bucket, as Corbel, as a browser and " +
    "as an anonymous client, and reports the result of each. It leaves nothing in the bucket.",
  security: projectMember("admin"),
  params: { projectId },
  success: okAnswer("Storage checked", "The result of each step; `ok` is false if one failed.", {
    data: StorageCheck,
    example: CHECK_EXAMPLE,
  }),
  problems: ["INVALID_INPUT"],
});

export const PROJECT_STORAGE = {
  getProjectStorage,
  setProjectStorage,
  clearProjectStorage,
  checkProjectStorage,
};
