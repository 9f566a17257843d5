/** A project with webhooks, and a receiver that answers as a test has it. */

import { enabledWebhooks, enqueueDeliveries } from "@/lib/events/webhooks/deliveries.ts";
import { messageRoom } from "@/lib/events/webhooks/kept_bodies.ts";
import { DELIVERIES, type DeliveryRecord, type ToldChange } from "@/lib/events/webhooks/records.ts";
import type { WebhookWithSecret } from "@/lib/events/webhooks/manage.ts";
import type { PlanName } from "@/lib/projects/account_records.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { openAccount, ownedProject } from "../support/dashboard.ts";
import { openTestApp, type TestApp } from "../support/test_app.ts";
import { openTestServices, type TestOptions } from "../support/test_services.ts";
import { startWebhookServer, type TestWebhookServer } from "../support/webhook_server.ts";
import { createTestOwner, type TestOwner } from "./test_owner.ts";
import { ok } from "./test_collection.ts";

export interface WebhookFixture extends AsyncDisposable {
  readonly app: TestApp;
  readonly owner: TestOwner;
  readonly projectId: string;
  readonly server: TestWebhookServer;
  /** Creates one that is told all of `posts`, but for what is given. */
  create(input?: object): Promise<WebhookWithSecret>;
  post(body: object): Promise<Answer>;
  /** Has webhooks told of changes, and waits for what is begun by it. */
  tell(...changes: ToldChange[]): Promise<void>;
  /** Runs what is due after so long. */
  later(ms: number): Promise<void>;
  /** As they are stored, in the order of their positions. */
  deliveries(): Promise<DeliveryRecord[]>;
}

export const ALL_OF_POSTS = { posts: ["created", "changed", "deleted", "recovered"] };
const POST_ID = "66f1a0c2e4b0a1b2c3d4e5f6";

let position = 0;

/** A later one with each call. */
export function change(given: Partial<ToldChange> = {}): ToldChange {
  return {
    position: String(++position).padStart(12, "0"),
    at: "2026-01-31T12:00:00.000Z",
    actor: { kind: "key", id: null },
    name: "posts",
    recordId: POST_ID,
    action: "created",
    before: null,
    after: `{"_id":"${POST_ID}","title":"One","isDeleted":false}`,
    ...given,
  };
}

export interface WebhookOptions extends TestOptions {
  readonly plan?: PlanName;
  /** Whose app and receiver it shares: it is another project beside it. */
  readonly beside?: Pick<WebhookFixture, "app" | "server">;
}

export async function openWebhooks(
  { plan = "free", env = {}, beside, ...options }: WebhookOptions = {},
): Promise<WebhookFixture> {
  await using opening = new AsyncDisposableStack();
  const server = beside?.server ?? opening.use(await startWebhookServer());
  const app = beside?.app ?? opening.use(
    await openTestApp({ ...options, env: { ALLOW_PRIVATE_ENDPOINTS: "true", ...env } }),
  );
  const account = await openAccount(app, { plan });
  const { projectId, secretKey, publishableKey } = await ownedProject(account);
  const owner = await createTestOwner(app, {
    ...await app.project(),
    projectId,
    secretKey,
    publishableKey,
    owner: () => Promise.resolve(account),
  });
  ok(await owner.asOwner({ method: "POST", path: "/collections", body: { name: "posts" } }), 201);
  const { services } = app;
  const { jobRunner, engine } = services;
  const post = (body: object) => owner.asOwner({ method: "POST", path: "/webhooks", body });
  const opened = opening.move();
  return {
    app,
    owner,
    projectId,
    server,
    post,
    create: async (input = {}) =>
      ok(await post({ name: "Test", url: server.url, events: ALL_OF_POSTS, ...input }), 201),
    async tell(...changes) {
      await tellWebhooks(services, projectId, changes);
      await jobRunner.idle();
    },
    async later(ms) {
      app.clock.advance(ms);
      await jobRunner.runDue();
      await jobRunner.idle();
    },
    deliveries: () =>
      Array.fromAsync(
        engine.records<DeliveryRecord>(projectId, DELIVERIES)
          .find({ filter: ALL, sort: [{ path: "position", descending: false }] }),
      ),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** As whoever follows the record of changes does. */
export async function tellWebhooks(
  services: Services,
  projectId: string,
  changes: readonly ToldChange[],
  { begins = true }: { begins?: boolean } = {},
): Promise<void> {
  const audience = await enabledWebhooks(services, projectId);
  await services.jobRunner.announce(projectId);
  const room = await messageRoom(services, projectId);
  const jobs = await services.engine.transaction(
    projectId,
    (tx) => enqueueDeliveries(tx, services, audience, { changes, room }),
  );
  if (begins) { for (const job of jobs) services.jobRunner.begin(projectId, job); }
}

/** Another process on the same store, by the same clock. */
export const openPeer = ({ store, clock }: Pick<TestApp, "store" | "clock">) =>
  openTestServices({ store, clock, env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
