import type { CollectionDefinition } from "@/lib/documents/fields.ts";
import type { ProjectFacts } from "@/lib/operations/project_facts.ts";
import type { ProblemCode } from "@/lib/problems.ts";
import type { Contract } from "../contract.ts";
import { BLOBS, serveFile } from "../paths/blobs.ts";
import { DATA, writeBatch } from "../paths/data.ts";
import { LIVE } from "../paths/live.ts";
import { MAIL } from "../paths/mail.ts";
import { SCHEMAS } from "../paths/schemas.ts";
import { SESSIONS } from "../paths/sessions.ts";
import { SOCIAL } from "../paths/social.ts";
import { STORAGE } from "../paths/storage.ts";
import { USER_EMAIL } from "../paths/user_email.ts";
import { USERS } from "../paths/users.ts";
import { fileKey } from "../security.ts";

/** Who a project's document is for: applications with the publishable key, or servers with the other. */
export const AUDIENCES = ["client", "server"] as const;

export type Audience = (typeof AUDIENCES)[number];

/** What a project's operations follow from. */
export interface OperationFacts extends
  Pick<
    ProjectFacts,
    "definitions" | "auth" | "providers" | "hasUserUploads" | "hasOrigins"
  > {
  readonly audience: Audience;
}

/** An operation of a project, with exactly what it may refuse for. */
export interface ProjectOperation {
  readonly operationId: string;
  readonly codes: readonly ProblemCode[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

type AnyContract = Contract<unknown>;

/** Operations of every collection, and what their own are called: `postsList`. */
export const COLLECTION_OPERATIONS: Readonly<Record<string, string>> = {
  listDocuments: "List",
  aggregateDocuments: "Aggregate",
  createDocument: "Create",
  createDocuments: "CreateMany",
  getDocument: "Get",
  replaceDocument: "Replace",
  patchDocument: "Patch",
  deleteDocument: "Delete",
  recoverDocument: "Recover",
  listenToDocuments: "Listen",
  createLiveTicket: "CreateTicket",
};

const ofCollections = [...Object.values(DATA), ...Object.values(LIVE)]
  .filter(({ operationId }) => Object.hasOwn(COLLECTION_OPERATIONS, operationId)) as AnyContract[];

/** Operations of a project that are no collection's own, in the order of the reference. */
const ofProject = [
  writeBatch,
  ...Object.values(SCHEMAS),
  ...Object.values(SOCIAL).filter(({ operationId }) => operationId !== "signInCallback"), // Providers call it.
  ...Object.values(USER_EMAIL),
  ...Object.values(SESSIONS),
  ...Object.values(USERS),
  ...Object.values(STORAGE),
  ...Object.values(BLOBS),
  ...Object.values(MAIL),
] as AnyContract[]; // Their principals differ; here only their documents matter.

const READS = [
  "listDocuments",
  "aggregateDocuments",
  "getDocument",
  "listenToDocuments",
  "createLiveTicket",
];

/** The operations of one collection that somebody of the audience may call. */
export function collectionOperations(
  facts: OperationFacts,
  definition: CollectionDefinition,
): ProjectOperation[] {
  const { rls, events } = definition;
  const canWrite = facts.audience === "server" || rls.enabled;
  return ofCollections
    .filter(({ tag }) => events || tag !== "Live lists")
    .filter(({ operationId }) => canWrite || READS.includes(operationId))
    .map((contract) => ({
      operationId: contract.operationId,
      security: collectionSecurity(facts, definition, contract),
      codes: contract.codes.filter(possible(facts, contract))
        .filter((code) => isPossibleIn(definition, contract.operationId, code)),
    }));
}

/** Whether a user's token is needed, may be sent, or is not looked at. */
function collectionSecurity(
  { audience }: OperationFacts,
  definition: CollectionDefinition,
  { operationId, security: { requirement } }: AnyContract,
): ProjectOperation["security"] {
  if (audience === "server") return [{ apiKey: [] }];
  return needsUser(definition, operationId) ? withUser(requirement) : requirement;
}

/** Whether a publishable key alone is not enough. */
const needsUser = ({ rls }: CollectionDefinition, operationId: string): boolean =>
  rls.enabled && (rls.mode === "private" || !READS.includes(operationId));

const withUser = (requirement: ProjectOperation["security"]): ProjectOperation["security"] =>
  requirement.filter((one) => !isKeyAlone(one));

const isKeyAlone = (requirement: object): boolean => Object.keys(requirement).join() === "apiKey";

/** Codes that only some collections answer with. */
function isPossibleIn(
  definition: CollectionDefinition,
  operationId: string,
  code: ProblemCode,
): boolean {
  const { rls } = definition;
  switch (code) {
    case "USERS_RESERVED":
    case "RLS_REQUIRED":
    case "EVENTS_OFF":
    case "SEARCH_NOT_DECLARED":
    case "SECRET_KEY_REQUIRED":
      return false; // What is refused so is not in the document.
    case "ACCESS_TOKEN_REQUIRED":
      return needsUser(definition, operationId);
    case "OWNER_MISMATCH":
    case "OWNER_IMMUTABLE":
      return rls.enabled;
    case "DUPLICATE_VALUE":
      return hasUnique(definition);
    default:
      return true;
  }
}

export const uniqueFields = ({ fields }: CollectionDefinition): string[] =>
  fields.filter(({ unique }) => unique).map(({ key }) => key);

const hasUnique = (definition: CollectionDefinition): boolean =>
  uniqueFields(definition).length > 0 || definition.indexes.some(({ unique }) => unique);

/** The operations that are no collection's own, as far as they are switched on for the audience. */
export const sharedOperations = (facts: OperationFacts): ProjectOperation[] =>
  ofProject.filter((contract) => isFor(facts, contract) && isOn(facts, contract.operationId))
    .map((contract) => ({
      operationId: contract.operationId,
      security: sharedSecurity(facts, contract),
      codes: contract.codes.filter(possible(facts, contract)),
    }));

function sharedSecurity(
  { audience }: OperationFacts,
  { operationId, security }: AnyContract,
): ProjectOperation["security"] {
  const { requirement } = security;
  if (audience === "server") return requirement.filter((one) => !("accessToken" in one));
  const isUsers = security === fileKey || operationId === writeBatch.operationId;
  return isUsers ? withUser(requirement) : requirement;
}

/** Whether the audience has the key for it. */
function isFor(
  { audience, hasUserUploads, definitions }: OperationFacts,
  { operationId, tag, security: { problems } }: AnyContract,
): boolean {
  if (audience === "server") return !problems.includes("PUBLISHABLE_KEY_REQUIRED");
  if (tag === "Files" && operationId !== serveFile.operationId) {
    return hasUserUploads && operationId !== "getStorageUsage";
  }
  if (operationId === writeBatch.operationId) return definitions.some(({ rls }) => rls.enabled);
  return !problems.includes("SECRET_KEY_REQUIRED");
}

const SOCIAL_SIGN_IN = ["startSignIn", "exchangeCode"];
const BY_PASSWORD = [
  "signUp",
  "logIn",
  "resetPassword",
  "requestPasswordReset",
  "changeUserPassword",
];
const BY_CODE = ["requestCode", "verifyCode"];

/** Whether the project lets users sign in so. */
function isOn({ auth, providers }: OperationFacts, operationId: string): boolean {
  if (SOCIAL_SIGN_IN.includes(operationId)) return providers.length > 0;
  if (operationId === "signInAnonymously") return auth.anonymous && auth.signUp === "open";
  if (BY_PASSWORD.includes(operationId)) return auth.password;
  return !BY_CODE.includes(operationId) || auth.emailCode;
}

/** Whether an operation that is in the document can answer with a code. */
const possible = (
  { audience, auth, hasOrigins }: OperationFacts,
  { operationId, path, security: { problems } }: AnyContract,
) =>
(code: ProblemCode): boolean => {
  const isServer = audience === "server";
  switch (code) {
    case "PUBLISHABLE_KEY_REQUIRED":
    case "SIGN_IN_METHOD_OFF":
      return false;
    case "SECRET_KEY_REQUIRED":
      return !problems.includes(code);
    case "ACCESS_TOKEN_REQUIRED": // Who signs out needs a token of theirs, whatever the key.
      return !isServer || operationId === "logoutAll";
    case "ACCESS_TOKEN_INVALID":
    case "OWNER_MISMATCH":
    case "OWNER_IMMUTABLE":
    case "RLS_REQUIRED":
      return !isServer;
    case "RATE_LIMITED": // Calls with the secret key are not counted.
      return !isServer || !problems.includes("API_KEY_INVALID");
    case "ORIGIN_NOT_ALLOWED":
      return !isServer && hasOrigins;
    case "SIGN_UP_CLOSED":
      return auth.signUp === "closed";
    case "EMAIL_NOT_VERIFIED":
      return auth.requireVerifiedEmail;
    case "INVALID_PATH":
      return path.replace("{collectionName}", "").includes("{");
    default:
      return true;
  }
};
