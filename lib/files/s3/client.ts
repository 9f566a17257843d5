import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { S3Client } from "@aws-sdk/client-s3";
import type { Clock } from "../../clock.ts";
import type { Secret } from "../../crypto/secret.ts";
import { TRUSTED_BY_DENO } from "../../http/egress.ts";

export interface S3Options {
  /** Null for AWS itself. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** `<endpoint>/<bucket>/…` instead of `<bucket>.<endpoint>/…`. */
  readonly pathStyle: boolean;
  /** Where the bucket serves its objects to everybody, without a final slash; null if nowhere. */
  readonly publicUrl: string | null;
  /** Whether that is the dashboard's host. */
  readonly sharesHost?: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** Guarded ones for an endpoint that a user gave. They stay the caller's to close. */
  readonly agents?: S3Agents;
  /** The caller's clock, which `expiresAt` is by; the system's if left out. */
  readonly clock?: Clock;
}

export interface S3Agents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** As many as the SDK's own. */
const SOCKETS_MAX = 50;

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Nothing is asked of the bucket so far. */
export function clientOf(
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
        { httpsAgent: { keepAlive: true, maxSockets: SOCKETS_MAX, ca: TRUSTED_BY_DENO } },
      throwOnRequestTimeout: true,
      logger: silent,
    },
    // Tried again here, within a time.
    maxAttempts: 1,
    // A clock that is wrong is to be set: addresses are signed by it, too.
    disableClockSkewCorrection: true,
    // All that it would look for in files and variables of whoever runs the process.
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
