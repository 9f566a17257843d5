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

/** Readers of a project's document: applications (publishable key) or servers (secret key). */
export const AUDIENCES = ["client", "server"] as const;

export type Audience = (typeof AUDIENCES)[number];

/** The properties of a project that determine its operations. */
export interface OperationFacts extends
  Pick<
    ProjectFacts,
    "definitions" | "auth" | "providers" | "hasUserUploads" | "hasOrigins"
  > {
  readonly audience: Audience;
}

/** An operation of a project with the problems that it can answer with. */
export interface ProjectOperation {
  readonly operationId: string;
  readonly codes: readonly ProblemCode[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

type AnyContract = Contract<unknown>;

/** General operations on documents, with the suffix of a collection's own: `postsList`. */
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

const COLLECTION_CONTRACTS = [...Object.values(DATA), ...Object.values(LIVE)]
  .filter(({ operationId }) => Object.hasOwn(COLLECTION_OPERATIONS, operationId)) as AnyContract[];

/** Operations of a project outside of collections, in the order of the reference. */
const PROJECT_CONTRACTS = [
  writeBatch,
  ...Object.values(SCHEMAS),
  ...Object.values(SOCIAL).filter(({ operationId }) => operationId !== "signInCallback"), // Providers call it.
  ...Object.values(USER_EMAIL),
  ...Object.values(SESSIONS),
  ...Object.values(USERS),
  ...Object.values(STORAGE),
  ...Object.values(BLOBS),
  ...Object.values(MAIL),
] as AnyContract[]; // Only their documents matter here, not their principals.

const READ_OPERATIONS = [
  "listDocuments",
  "aggregateDocuments",
  "getDocument",
  "listenToDocuments",
  "createLiveTicket",
];

export function collectionOperations(
  facts: OperationFacts,
  definition: CollectionDefinition,
): ProjectOperation[] {
  const { rls, events } = definition;
  const canWrite = facts.audience === "server" || rls.enabled;
  return COLLECTION_CONTRACTS
    .filter(({ tag }) => events || tag !== "Live lists")
    .filter(({ operationId }) => canWrite || READ_OPERATIONS.includes(operationId))
    .map((contract) => ({
      operationId: contract.operationId,
      security: collectionSecurity(facts, definition, contract),
      codes: contract.codes.filter(canAnswerWith(facts, contract))
        .filter((code) => isPossibleIn(definition, contract.operationId, code)),
    }));
}

/** Returns whether a user's token is required, optional or ignored. */
function collectionSecurity(
  { audience }: OperationFacts,
  definition: CollectionDefinition,
  { operationId, security: { requirement } }: AnyContract,
): ProjectOperation["security"] {
  if (audience === "server") return [{ apiKey: [] }];
  return needsUser(definition, operationId) ? requirementWithUser(requirement) : requirement;
}

/** Whether an operation with a publishable key also needs a user's token. */
const needsUser = ({ rls }: CollectionDefinition, operationId: string): boolean =>
  rls.enabled && (rls.mode === "private" || !READ_OPERATIONS.includes(operationId));

const requirementWithUser = (
  requirement: ProjectOperation["security"],
): ProjectOperation["security"] => requirement.filter((one) => !isKeyAlone(one));

const isKeyAlone = (requirement: object): boolean => Object.keys(requirement).join() === "apiKey";

/** Whether an operation of this collection can answer with a code. */
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
      return false; // The document omits operations that are refused with these.
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

/** Returns the operations outside of collections that are enabled for the audience. */
export const sharedOperations = (facts: OperationFacts): ProjectOperation[] =>
  PROJECT_CONTRACTS.filter((contract) =>
    isForAudience(facts, contract) && isMethodEnabled(facts, contract.operationId)
  )
    .map((contract) => ({
      operationId: contract.operationId,
      security: sharedSecurity(facts, contract),
      codes: contract.codes.filter(canAnswerWith(facts, contract)),
    }));

function sharedSecurity(
  { audience }: OperationFacts,
  { operationId, security }: AnyContract,
): ProjectOperation["security"] {
  const { requirement } = security;
  if (audience === "server") return requirement.filter((one) => !("accessToken" in one));
  const isUsers = security === fileKey || operationId === writeBatch.operationId;
  return isUsers ? requirementWithUser(requirement) : requirement;
}

function isForAudience(
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

function isMethodEnabled({ auth, providers }: OperationFacts, operationId: string): boolean {
  if (SOCIAL_SIGN_IN.includes(operationId)) return providers.length > 0;
  if (operationId === "signInAnonymously") return auth.anonymous && auth.signUp === "open";
  if (BY_PASSWORD.includes(operationId)) return auth.password;
  return !BY_CODE.includes(operationId) || auth.emailCode;
}

/** Returns a predicate that says whether an operation in the document can answer with a code. */
const canAnswerWith = (
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
    case "ACCESS_TOKEN_REQUIRED": // Signing out everywhere needs a user's token with either key.
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
