import { Buffer } from "node:buffer";
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from "node:crypto";

/** The one way in which a forged ID token differs from a valid one. */
export type Forgery = ClaimsForgery | Resigning;

/** Forgeries that the provider signs with its own key and algorithm. */
export type ClaimsForgery =
  | "wrong nonce"
  | "no nonce"
  | "wrong audience"
  | "two audiences"
  | "no audience"
  | "wrong issuer"
  | "issuer with a slash"
  | "expired"
  | "no expiry"
  | "not yet valid"
  | "issued in the future"
  | "no subject"
  | "unknown kid";

/** Forgeries with another signature, or a token of another sign-in. */
export type Resigning =
  | "alg none"
  | "alg HS256 with the public key"
  | "alg ES256 with a published key"
  | "bad signature"
  | "no signature"
  | "foreign key of the same kid"
  | "replayed";

const RESIGNINGS: ReadonlySet<string> = new Set<Resigning>([
  "alg none",
  "alg HS256 with the public key",
  "alg ES256 with a published key",
  "bad signature",
  "no signature",
  "foreign key of the same kid",
  "replayed",
]);

export const isResigned = (forgery: Forgery | null): forgery is Resigning =>
  RESIGNINGS.has(forgery ?? "");

interface Token {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
}

const HOUR_SECONDS = 3600;

const changed =
  (name: string, change: (now: number, payload: Token["payload"]) => unknown) =>
  ({ payload }: Token): void => {
    const value = change(payload.iat as number, payload);
    if (value === undefined) delete payload[name];
    else payload[name] = value;
  };

/** Changes of the token that each forgery makes before it is signed. */
export const FORGED_CLAIMS: Partial<Record<Forgery, (token: Token) => void>> = {
  "wrong nonce": changed("nonce", () => "another"),
  "no nonce": changed("nonce", () => undefined),
  "wrong audience": changed("aud", () => "another-client"),
  "two audiences": changed("aud", (_now, { aud }) => [aud, "another-client"]),
  "no audience": changed("aud", () => undefined),
  "wrong issuer": changed("iss", () => "https://evil.example"),
  "issuer with a slash": changed("iss", (_now, { iss }) => `${iss}/`),
  "expired": changed("exp", (now) => now - HOUR_SECONDS),
  "no expiry": changed("exp", () => undefined),
  "not yet valid": changed("nbf", (now) => now + HOUR_SECONDS),
  "issued in the future": changed("iat", (now) => now + HOUR_SECONDS),
  "no subject": changed("sub", () => undefined),
  "unknown kid": ({ header }) => void (header.kid = crypto.randomUUID()),
};

function generateEcKey(): { privateKey: KeyObject; publicJwk: PublicJwk } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" });
  return { privateKey, publicJwk: { ...jwk, kid: "ec", alg: "ES256", use: "sig" } as PublicJwk };
}

interface PublicJwk {
  readonly kty: string;
  readonly kid: string;
  readonly alg: string;
  readonly [name: string]: unknown;
}

/** A published key of another algorithm. A client must pin the algorithm to reject its tokens. */
export const EC_KEY = generateEcKey();

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, "base64url").toString());

/**
 * Forges a valid token by changing its signature.
 * @param jwk The provider's public key.
 * @param issued ID tokens so far; "replayed" needs at least one.
 */
export function resign(
  forgery: Resigning,
  token: string,
  jwk: JsonWebKey,
  issued: readonly string[],
): string {
  const [header, payload, signature] = token.split(".") as [string, string, string];
  const withHeader = (changes: Record<string, unknown>) =>
    `${encode({ ...decode(header), ...changes })}.${payload}`;
  const joinSignature = (text: string, bytes: Buffer) => `${text}.${bytes.toString("base64url")}`;
  switch (forgery) {
    case "alg none":
      return `${withHeader({ alg: "none" })}.`;
    case "alg HS256 with the public key": {
      const text = withHeader({ alg: "HS256" });
      const pem = createPublicKey({ key: jwk, format: "jwk" }).export({
        type: "spki",
        format: "pem",
      });
      return joinSignature(text, createHmac("sha256", pem).update(text).digest());
    }
    case "alg ES256 with a published key": {
      const text = withHeader({ alg: "ES256", kid: EC_KEY.publicJwk.kid });
      const key = { key: EC_KEY.privateKey, dsaEncoding: "ieee-p1363" } as const;
      return joinSignature(text, sign("sha256", Buffer.from(text), key));
    }
    case "bad signature":
      return `${header}.${payload}.${(signature[0] === "A" ? "B" : "A")}${signature.slice(1)}`;
    case "no signature":
      return `${header}.${payload}.`;
    case "foreign key of the same kid": {
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      const text = `${header}.${payload}`;
      return joinSignature(text, sign("sha256", Buffer.from(text), privateKey));
    }
    case "replayed":
      return issued.at(-1)!;
  }
}
