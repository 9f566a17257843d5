import type { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { S3Client } from "@aws-sdk/client-s3";
import type { Clock } from "../../clock.ts";
import type { Secret } from "../../crypto/secret.ts";
import { connectingFirst, TRUSTED_BY_DENO } from "../../http/egress.ts";

export interface S3Options {
  /** URL of the store; null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Whether URLs are `<endpoint>/<bucket>/…` instead of `<bucket>.<endpoint>/…`. */
  readonly pathStyle: boolean;
  /** Public URL of the bucket's objects, without a trailing slash; null if there is none. */
  readonly publicUrl: string | null;
  /** Whether `publicUrl` is on the dashboard's host. */
  readonly sharesHost?: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** Guarded agents for an endpoint that a user entered. The caller closes them. */
  readonly agents?: S3Agents;
  /** Clock of `expiresAt`. Default: the system clock. */
  readonly clock?: Clock;
}

export interface S3Agents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** Maximum number of sockets, the default of the SDK. */
const SOCKETS_MAX = 50;

const SILENT_LOGGER = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export function createClient(
  { endpoint, region, pathStyle, accessKeyId, secretAccessKey, agents }: S3Options,
): S3Client {
  return new S3Client({
    ...(endpoint !== null && { endpoint }),
    region,
    forcePathStyle: pathStyle,
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      ...agents ??
        {
          httpsAgent: connectingFirst(
            new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX, ca: TRUSTED_BY_DENO }),
          ),
        },
      throwOnRequestTimeout: true,
      logger: SILENT_LOGGER,
    },
    // `S3Calls` retries, within a deadline.
    maxAttempts: 1,
    // A wrong clock must be corrected, because it also signs URLs.
    disableClockSkewCorrection: true,
    // Settings that the SDK would otherwise read from files and environment variables.
    defaultsMode: "standard",
    retryMode: "standard",
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    ignoreConfiguredEndpointUrls: true,
    disableS3ExpressSessionAuth: true,
    authSchemePreference: [],
    sigv4aSigningRegionSet: [],
    userAgentAppId: () => Promise.resolve(undefined),
  });
}
