import { z } from "zod";
import type { Config } from "../runtime/config.ts";
import type { Egress } from "../http/egress.ts";
import { Problem } from "../problems.ts";
import { Secret } from "../crypto/secret.ts";

export interface StorageInput {
  /** URL without a trailing slash; null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Whether the bucket's name is part of the path instead of the host. */
  readonly pathStyle: boolean;
  /** Public URL of the bucket's objects, without a trailing slash; null if there is none. */
  readonly publicUrl: string | null;
  /** Null to keep the stored keys. */
  readonly keys: StorageKeys | null;
}

export interface StorageKeys {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
}

export interface StorageRules {
  readonly egress: Pick<Egress, "admits">;
  /** Whether plain http is allowed. */
  readonly allowPrivate: boolean;
}

export const storageRules = ({ egress, config }: StorageRuleServices): StorageRules => ({
  egress,
  allowPrivate: config.allowPrivateEndpoints,
});

export interface StorageRuleServices {
  readonly egress: Pick<Egress, "admits">;
  readonly config: Pick<Config, "allowPrivateEndpoints">;
}

const ADDRESS_LENGTH_MAX = 2048;

/** Errors never repeat the value, because people may paste a secret into the wrong field. */
const text = (pattern: RegExp, must: string) => z.string({ error: must }).regex(pattern, must);

const BUCKET = text(
  /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  "must be the bucket's name, 3 to 63 of a-z, 0-9, - and .",
);
const REGION = text(
  /^[A-Za-z0-9-]{1,64}$/,
  "must be the bucket's region, as us-east-1, or auto where the store has none",
);
const KEY_ID = text(
  /^[A-Za-z0-9._~@+=-]{1,128}$/,
  "must be the id of an access key, up to 128 letters, digits and ._~@+=-",
);
const KEY_SECRET = text(
  /^[\x21-\x7e]{1,256}$/,
  "must be the secret of the access key, up to 256 printable ASCII characters without spaces",
);

export function storageSchema(rules: StorageRules) {
  const address = createAddressSchema(rules);
  return z.strictObject({
    endpoint: address("the address of the store").nullable().default(null)
      .describe("Left out or null for AWS itself, the same store as `https://s3.amazonaws.com`."),
    region: REGION.optional().describe("AWS needs it."),
    bucket: BUCKET,
    pathStyle: z.boolean({ error: "must be true or false" }).optional()
      .describe("Whether the bucket's name is part of the path and not of the host."),
    publicUrl: address("where everybody can read the bucket").nullable().default(null)
      .describe("Where everybody can read the bucket."),
    accessKeyId: KEY_ID.optional()
      .describe("Both keys come together; left out, the stored ones of this bucket stay."),
    secretAccessKey: KEY_SECRET.optional(),
  }, { error: (issue) => unknownMemberProblem(issue) });
}

const MEMBERS = "endpoint, region, bucket, pathStyle, publicUrl, accessKeyId and secretAccessKey";

function unknownMemberProblem(issue: z.core.$ZodRawIssue): string {
  if (issue.code !== "unrecognized_keys") return `must be a JSON object with ${MEMBERS}`;
  // A name with digits may be a key in the wrong position.
  const named = issue.keys.filter((name) => /^[A-Za-z_]{1,32}$/.test(name));
  return `may have no members but ${MEMBERS}${
    named.length === 0 ? "" : `: leave out ${named.join(", ")}`
  }`;
}

function createAddressSchema({ egress, allowPrivate }: StorageRules) {
  const scheme = allowPrivate ? "https or http" : "https";
  return (what: string) => {
    const must = `must be ${what}, an ${scheme} address without a user, query or fragment`;
    return z.string({ error: must }).max(ADDRESS_LENGTH_MAX, must).transform((value, context) => {
      const url = URL.parse(value);
      const isPlain = url !== null && url.username === "" && url.password === "" &&
        !/[?#\s\\]/.test(value) &&
        (url.protocol === "https:" || (allowPrivate && url.protocol === "http:"));
      if (!isPlain) context.addIssue(must);
      else if (!egress.admits(url.hostname)) {
        context.addIssue(
          "must not be an address in a private network (ALLOW_PRIVATE_ENDPOINTS=true permits it)",
        );
      }
      return isPlain ? url.href.replace(/\/+$/, "") : z.NEVER;
    });
  };
}

/** Validates the settings in a request. Throws `INVALID_INPUT` with all problems. */
export function parseStorageInput(rules: StorageRules, input: unknown): StorageInput {
  const parsed = storageSchema(rules).safeParse(input);
  const problems = (parsed.error?.issues ?? []).map(({ path, message }) =>
    `${path.length === 0 ? "they" : path.join(".")} ${message}`
  );
  const given = typeof input === "object" && input !== null ? input : {};
  const [hasId, hasSecret] = ["accessKeyId", "secretAccessKey"].map((name) => name in given);
  if (hasId !== hasSecret) {
    const missing = hasId ? "secretAccessKey" : "accessKeyId";
    problems.push(`${missing} is missing: both come together, or neither to keep the stored ones`);
  }
  const isAws = !("endpoint" in given) || given.endpoint === null;
  if (isAws && !("region" in given)) problems.push("region is missing: AWS needs it");
  if (!parsed.success || problems.length > 0) {
    const message = `The storage settings cannot be used:\n- ${problems.join("\n- ")}`;
    throw new Problem("INVALID_INPUT", { message });
  }
  const { region, pathStyle, accessKeyId, secretAccessKey, ...rest } = parsed.data;
  return {
    ...rest,
    region: region ?? "us-east-1",
    pathStyle: pathStyle ?? rest.endpoint !== null,
    keys: accessKeyId === undefined || secretAccessKey === undefined
      ? null
      : { accessKeyId: new Secret(accessKeyId), secretAccessKey: new Secret(secretAccessKey) },
  };
}
