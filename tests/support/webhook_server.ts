/** Receiver of webhooks on this machine that answers as a test demands. */

import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

/** Handles a message; may leave it unanswered. */
export type Receive = (message: ReceivedMessage, response: http.ServerResponse) => unknown;

export interface TestWebhookServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMessage[];
  /** Maximum number of messages that were in progress at the same time. */
  readonly maxConcurrent: number;
  behave(receive: Receive | number): void;
}

export async function startWebhookServer(): Promise<TestWebhookServer> {
  const received: ReceivedMessage[] = [];
  let receive: Receive = (_message, response) => response.end("ok");
  let [inProgress, maxConcurrent] = [0, 0];
  const server = http.createServer(async (request, response) => {
    response.on("error", () => {});
    const body = await text(request).catch(() => "");
    const headers = request.headers as Record<string, string>;
    const message = { path: request.url!, headers, body, json: JSON.parse(body) };
    received.push(message);
    maxConcurrent = Math.max(maxConcurrent, ++inProgress);
    response.on("close", () => inProgress--);
    await receive(message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    get maxConcurrent() {
      return maxConcurrent;
    },
    behave(how) {
      receive = typeof how === "function" ? how : (_message, response) => {
        response.statusCode = how;
        response.end(`answered ${how}`);
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
