import { z } from "@hono/zod-openapi";
import { okAnswer } from "../answers.ts";
import { contract, type Spec } from "../contract.ts";
import type { PathParameters } from "../inputs.ts";
import { projectId, referenceFile } from "../parameters.ts";
import { anyone } from "../security.ts";

const system = <N extends PathParameters>(
  spec:
    & Pick<
      Spec<null, undefined, N, undefined>,
      "operationId" | "path" | "summary" | "description" | "success" | "params"
    >
    & { problems?: Spec<null>["problems"] },
) =>
  contract({
    tag: "Server",
    method: "get",
    security: anyone,
    problems: [],
    ...spec,
  });

const Addresses = z.strictObject({
  name: z.literal("Corbel"),
  reference: z.string(),
  document: z.string(),
  client: z.string(),
  commandLine: z.string(),
  health: z.string(),
  ready: z.string(),
});

const ADDRESSES = {
  name: "Corbel",
  reference: "http://localhost:8000/docs",
  document: "http://localhost:8000/openapi.json",
  client: "http://localhost:8000/client.js",
  commandLine: "http://localhost:8000/cli.js",
  health: "http://localhost:8000/api/health",
  ready: "http://localhost:8000/api/health/ready",
};

export const getIndex = system({
  operationId: "getIndex",
  path: "/",
  summary: "Get the API index, as anyone",
  description: "The addresses of the reference, the document and the health checks.",
  success: okAnswer("Corbel is running", "The addresses.", { data: Addresses, example: ADDRESSES }),
});

export const getDocumentFile = system({
  operationId: "getOpenApi",
  path: "/openapi.json",
  summary: "Get this document, as anyone",
  description: "The OpenAPI 3.1 document of every operation.",
  success: [
    {
      status: 200,
      description: "The document.",
      data: null,
      content: { type: "application/json", schema: z.looseObject({ openapi: z.string() }) },
      example: { openapi: "3.1.0" },
      headers: { etag: "Identifies this version of the document." },
    },
    { status: 304, description: "The document has not changed.", data: null },
  ],
});

const ETAG = { etag: "Identifies this version of the file." };
const NOT_MODIFIED = { status: 304, description: "The file has not changed.", data: null };

export const getReference = system({
  operationId: "getReference",
  path: "/docs",
  summary: "Get the reference as a page, as anyone",
  description: "The introduction and every operation, each on its own page, where it can be " +
    "tried. The pages load nothing from other servers.",
  success: [{
    status: 200,
    description: "The page.",
    data: null,
    content: { type: "text/html", schema: z.string() },
    example: "<!doctype html>",
    headers: ETAG,
  }, NOT_MODIFIED],
});

export const getReferenceScript = system({
  operationId: "getReferenceScript",
  path: "/docs/{file}",
  params: { file: referenceFile },
  summary: "Get a file of the reference page, as anyone",
  description: "Scripts of the full reference, `/docs/full`.",
  success: [
    {
      status: 200,
      description: "The script.",
      data: null,
      content: { type: "text/javascript", schema: z.string() },
      example: "",
      headers: ETAG,
    },
    NOT_MODIFIED,
  ],
  problems: ["ROUTE_NOT_FOUND"],
});

export const getClient = system({
  operationId: "getClient",
  path: "/client.js",
  summary: "Get the client, as anyone",
  description: "The client for browsers, Deno, Node.js and Bun as one module without " +
    'dependencies: `import { createClient } from "<this server>/client.js"`.',
  success: [{
    status: 200,
    description: "The module.",
    data: null,
    content: { type: "text/javascript", schema: z.string() },
    example: "export { createClient, CorbelError };",
    headers: ETAG,
  }, NOT_MODIFIED],
});

export const getClientTypes = system({
  operationId: "getClientTypes",
  path: "/client.d.ts",
  summary: "Get the types of the client, as anyone",
  description: "The TypeScript declarations of the client.",
  success: [{
    status: 200,
    description: "The declarations.",
    data: null,
    content: { type: "application/typescript", schema: z.string() },
    example: "export declare class CorbelError extends Error { … }",
    headers: ETAG,
  }, NOT_MODIFIED],
});

export const getCommandLine = system({
  operationId: "getCommandLine",
  path: "/cli.js",
  summary: "Get the command line, as anyone",
  description: "The functions of the dashboard for a shell: one module for Deno, run from this " +
    "address with a personal access token.",
  success: [{
    status: 200,
    description: "The module.",
    data: null,
    content: { type: "text/javascript", schema: z.string() },
    example: "// The command line of Corbel, for Deno.",
    headers: ETAG,
  }, NOT_MODIFIED],
});

export const getHealth = system({
  operationId: "getHealth",
  path: "/api/health",
  summary: "Check that the process is alive, for supervisors",
  description: "Answers as long as the process serves requests.",
  success: okAnswer("Alive", "The process is alive.", {
    data: z.strictObject({ status: z.literal("ok") }),
    example: { status: "ok" },
  }),
});

export const getReadiness = system({
  operationId: "getReadiness",
  path: "/api/health/ready",
  summary: "Check that the server is ready, for load balancers",
  description: "Makes a small write to the database and the file storage. A refusal names the " +
    "one that failed; the log has the reason.",
  success: okAnswer("Ready", "The server is ready.", {
    data: z.strictObject({
      status: z.literal("ready"),
      database: z.enum(["sqlite", "mongodb"]),
      storage: z.enum(["disk", "s3"]),
      unusableProjects: z.int().min(1).optional().openapi({
        description: "Number of projects whose database file is missing or damaged. Requests for " +
          "them are answered with 503, and the log names them; other projects are served.",
      }),
      connectionsExhausted: z.literal(true).optional().openapi({
        description: "Present if connections ran out in the last minute: idle ones were closed, " +
          "and new ones waited.",
      }),
    }),
    example: { status: "ready", database: "sqlite", storage: "disk" },
  }),
  problems: ["NOT_READY"],
});

export const getJwks = contract({
  operationId: "getJwks",
  tag: "Access tokens",
  method: "get",
  path: "/api/projects/{projectId}/jwks.json",
  summary: "Get a project's public keys, to verify its access tokens",
  description:
    "The public keys as a JSON Web Key Set, to verify access tokens on your own servers.",
  security: anyone,
  params: { projectId },
  success: [{
    status: 200,
    description: "The key set.",
    data: null,
    content: {
      type: "application/json",
      schema: z.strictObject({
        keys: z.array(z.strictObject({
          kty: z.literal("OKP"),
          crv: z.literal("Ed25519"),
          x: z.string(),
          kid: z.string(),
          use: z.literal("sig"),
          alg: z.literal("EdDSA"),
        })),
      }),
    },
    example: {
      keys: [{
        kty: "OKP",
        crv: "Ed25519",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        kid: "66f1a0c2e4b0a1b2c3d4e5f6",
        use: "sig",
        alg: "EdDSA",
      }],
    },
  }],
  problems: ["PROJECT_NOT_FOUND"],
});

export const SYSTEM = {
  getJwks,
  getHealth,
  getReadiness,
  getIndex,
  getDocumentFile,
  getReference,
  getReferenceScript,
  getClient,
  getClientTypes,
  getCommandLine,
};
