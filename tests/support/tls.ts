/** HTTPS sites on this machine, for browsers that ignore certificate errors. */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Site extends AsyncDisposable {
  readonly origin: string;
}

/** Serves a host over TLS. It must end in `.test`, which the tests' browser resolves. */
export function serveSite(
  host: string,
  handle: (request: Request) => Response | Promise<Response>,
): Site {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, ...createCertificate(host) },
    handle,
  );
  return {
    origin: `https://${host}:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * Forwards a request to `target`, a plain HTTP server, as a load balancer does that terminates TLS.
 * @param client Closed by the caller.
 */
export async function forwardRequest(
  request: Request,
  target: string,
  client: Deno.HttpClient,
): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const headers = new Headers(request.headers);
  // `fetch` decodes the body, while the response would still say that it is encoded.
  headers.set("accept-encoding", "identity");
  headers.set("x-forwarded-host", host);
  const body = request.body === null ? null : await request.arrayBuffer();
  return await fetch(`${target}${pathname}${search}`, {
    method: request.method,
    headers,
    body,
    redirect: "manual",
    client,
  });
}

const VALID_MS = 86_400_000;

/** Creates a certificate for one host, valid for a day, with a new key. */
export function createCertificate(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = Date.now();
  const algorithm = sequence(oid(1, 2, 840, 10045, 4, 3, 2)); // ECDSA with SHA-256.
  const name = sequence(der(0x31, sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from(host)))));
  const alternative = sequence(der(0x82, Buffer.from(host)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1, ...crypto.getRandomValues(new Uint8Array(8)))),
    algorithm,
    name,
    sequence(time(now - VALID_MS), time(now + VALID_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(oid(2, 5, 29, 17), der(0x04, alternative)))),
  );
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign("sha256", body, privateKey)]));
  const encoded = sequence(body, algorithm, signature).toString("base64");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${encoded}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** Encodes one DER value: tag, length, content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengths = length < 0x80
    ? [length]
    : length < 0x100
    ? [0x81, length]
    : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...lengths), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);

function oid(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let high = part >> 7; high > 0; high >>= 7) groups.unshift((high & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.of(first * 40 + second, ...bytes));
}

const time = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`));
