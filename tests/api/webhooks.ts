import { enabledWebhooks, enqueueDeliveries } from "@/lib/events/webhooks/deliveries.ts";
import { messageByteQuota } from "@/lib/events/webhooks/stored_bodies.ts";
import {
  DELIVERIES,
  type DeliveryRecord,
  type WebhookEventChange,
} from "@/lib/events/webhooks/records.ts";
import type { WebhookWithSecret } from "@/lib/events/webhooks/manage.ts";
import type { PlanName } from "@/lib/projects/account_records.ts";
import type { Services } from "@/lib/services.ts";
import { ALL } from "@/lib/store/filter.ts";
import type { Answer } from "../support/conforming_client.ts";
import { createOwnedProject, openAccount } from "../support/dashboard.ts";
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
  /** Creates a webhook, by default for all events of `posts`. */
  create(input?: object): Promise<WebhookWithSecret>;
  post(body: object): Promise<Answer>;
  /** Dispatches changes to webhooks and waits until they are sent. */
  dispatch(...changes: WebhookEventChange[]): Promise<void>;
  /** Advances the clock and runs the jobs that are due. */
  later(ms: number): Promise<void>;
  /** Returns the stored deliveries in the order of their positions. */
  deliveries(): Promise<DeliveryRecord[]>;
}

export const ALL_OF_POSTS = { posts: ["created", "changed", "deleted", "recovered"] };
const POST_ID = "66f1a0c2e4b0a1b2c3d4e5f6";

let position = 0;

/** Returns a change whose position is later than the last one's. */
export function change(given: Partial<WebhookEventChange> = {}): WebhookEventChange {
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
  /** A fixture whose app and receiver the new project shares. */
  readonly shared?: Pick<WebhookFixture, "app" | "server">;
}

export async function openWebhooks(
  { plan = "free", env = {}, shared: shared, ...options }: WebhookOptions = {},
): Promise<WebhookFixture> {
  await using opening = new AsyncDisposableStack();
  const server = shared?.server ?? opening.use(await startWebhookServer());
  const app = shared?.app ?? opening.use(
    await openTestApp({ ...options, env: { ALLOW_PRIVATE_ENDPOINTS: "true", ...env } }),
  );
  const account = await openAccount(app, { plan });
  const { projectId, secretKey, publishableKey } = await createOwnedProject(account);
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
    async dispatch(...changes) {
      await enqueueChanges(services, projectId, changes);
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

/** Enqueues the deliveries of changes, as the dispatcher does. */
export async function enqueueChanges(
  services: Services,
  projectId: string,
  changes: readonly WebhookEventChange[],
  { begins = true }: { begins?: boolean } = {},
): Promise<void> {
  const audience = await enabledWebhooks(services, projectId);
  await services.jobRunner.announce(projectId);
  const quota = await messageByteQuota(services, projectId);
  const jobs = await services.engine.transaction(
    projectId,
    (tx) => enqueueDeliveries(tx, services, audience, { changes, quota }),
  );
  if (begins) { for (const job of jobs) services.jobRunner.begin(projectId, job); }
}

/** Opens another process on the store, with the same clock. */
export const openPeer = ({ store, clock }: Pick<TestApp, "store" | "clock">) =>
  openTestServices({ store, clock, env: { ALLOW_PRIVATE_ENDPOINTS: "true" } });
