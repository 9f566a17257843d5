import { z } from "@hono/zod-openapi";
import { answered } from "../answers.ts";
import { contract, type Spec } from "../contract.ts";
import type { PathParameters } from "../inputs.ts";
import { projectId, referenceFile } from "../parameters.ts";
import { anyone } from "../security.ts";

/** What the operations about the server itself have in common. */
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
  success: answered("Corbel is running", "The addresses.", { data: Addresses, example: ADDRESSES }),
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
      headers: { etag: "Names this version of the document." },
    },
    { status: 304, description: "The document is the one you hold.", data: null },
  ],
});

const ETAG = { etag: "Names this version of the file." };
const HELD = { status: 304, description: "The file is the one you hold.", data: null };

export const getReference = system({
  operationId: "getReference",
  path: "/docs",
  summary: "Get the reference as a page, as anyone",
  description: "The introduction and every operation, each with a page of its own that it can be " +
    "tried on. It needs nothing from the network but this server.",
  success: [{
    status: 200,
    description: "The page.",
    data: null,
    content: { type: "text/html", schema: z.string() },
    example: "<!doctype html>",
    headers: ETAG,
  }, HELD],
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
    HELD,
  ],
  problems: ["ROUTE_NOT_FOUND"],
});

export const getClient = system({
  operationId: "getClient",
  path: "/client.js",
  summary: "Get the client, as anyone",
  description:
    "The client for browsers, Deno, Node.js and Bun as one module without dependencies: " +
    '`import { createClient } from "<this server>/client.js"`.',
  success: [{
    status: 200,
    description: "The module.",
    data: null,
    content: { type: "text/javascript", schema: z.string() },
    example: "export { createClient, CorbelError };",
    headers: ETAG,
  }, HELD],
});

export const getClientTypes = system({
  operationId: "getClientTypes",
  path: "/client.d.ts",
  summary: "Get the types of the client, as anyone",
  description: "What the client exports, as TypeScript declares it.",
  success: [{
    status: 200,
    description: "The declarations.",
    data: null,
    content: { type: "application/typescript", schema: z.string() },
    example: "export declare class CorbelError extends Error { … }",
    headers: ETAG,
  }, HELD],
});

export const getCommandLine = system({
  operationId: "getCommandLine",
  path: "/cli.js",
  summary: "Get the command line, as anyone",
  description:
    "What the dashboard does, from a shell: one module for Deno, run from this address " +
    "with a personal access token.",
  success: [{
    status: 200,
    description: "The module.",
    data: null,
    content: { type: "text/javascript", schema: z.string() },
    example: "// The command line of Corbel, for Deno.",
    headers: ETAG,
  }, HELD],
});

export const getHealth = system({
  operationId: "getHealth",
  path: "/api/health",
  summary: "Check that the process is alive, for supervisors",
  description: "Answers as long as the process serves requests.",
  success: answered("Alive", "It is.", {
    data: z.strictObject({ status: z.literal("ok") }),
    example: { status: "ok" },
  }),
});

export const getReadiness = system({
  operationId: "getReadiness",
  path: "/api/health/ready",
  summary: "Check that the server is ready, for load balancers",
  description:
    "Writes a little to everything the server depends on. A refusal says whether it is the " +
    "database or the file storage; the reason is in the log.",
  success: answered("Ready", "It can.", {
    data: z.strictObject({
      status: z.literal("ready"),
      database: z.enum(["sqlite", "mongodb"]),
      storage: z.enum(["disk", "s3"]),
      unusableProjects: z.int().min(1).optional().openapi({
        description:
          "How many projects' files were found missing or damaged. Requests for them are answered 503, and the log names each; all others are served.",
      }),
      connectionsExhausted: z.literal(true).optional().openapi({
        description:
          "Present if connections ran out in the last minute: idle ones were closed, new ones waited.",
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
  summary: "Get a project's public keys for whoever verifies its access tokens",
  description: "The public keys, as a JSON Web Key Set, to check access tokens elsewhere.",
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

/** In the order of the reference. */
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
