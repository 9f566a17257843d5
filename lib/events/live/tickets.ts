import type { Clock } from "../../clock.ts";
import { hashedId } from "../../crypto/hashes.ts";
import type { KeyRing } from "../../crypto/key_ring.ts";
import { randomToken } from "../../crypto/random.ts";
import type { SealedPlace } from "../../crypto/sealed_place.ts";
import { signed, unsigned } from "../../crypto/signed.ts";
import type { Credentials } from "../../http/request.ts";
import { LIVE_TICKET_SECONDS } from "../../limits.ts";
import { Problem } from "../../problems.ts";
import { and, compare, eq, within } from "../../store/filter.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Engine, Id } from "../../store/port.ts";
import type { LiveQuery } from "./plan.ts";
import { field, nullable, recordKind, type RecordOf } from "../../store/record_kind.ts";

/** What a ticket stands for. */
export interface TicketHolder extends LiveQuery {
  /** What they have let themselves in by. */
  readonly credentials: Credentials;
  readonly lastEventId: string | null;
  /** The page that asked; null where it was no page. */
  readonly origin: string | null;
}

/** In each project's space; the id is the hash of the ticket, which stands nowhere. */
export const LIVE_TICKETS = recordKind({
  name: "_liveTickets",
  fields: {
    collectionName: field.text,
    query: field.text,
    lastEventId: nullable(field.text),
    origin: nullable(field.text),
    /** JSON text of the credentials. */
    sealedCredentials: field.text,
    expiresAt: field.date,
  },
  indexes: [],
  trash: false,
  expiry: "expiresAt",
});

type TicketRecord = RecordOf<typeof LIVE_TICKETS>;

const bindingOf = (project: Id) => ({ project, purpose: "live ticket" });

export const LIVE_TICKET_SEALS: SealedPlace = {
  definition: LIVE_TICKETS,
  member: "sealedCredentials",
  binding: (_record, projectId) => bindingOf(projectId!),
};

export interface TicketServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  /** Keys to sign tickets with, the newest first. */
  readonly liveTicketKeys: readonly string[];
}

const PURPOSE = "live ticket";

/** A ticket for one opening of a live list, good once and for `LIVE_TICKET_SECONDS`. */
export async function issueTicket(
  { engine, clock, keyRing, liveTicketKeys }: TicketServices,
  projectId: Id,
  { credentials, ...asked }: TicketHolder,
): Promise<string> {
  const ticket = signed(liveTicketKeys[0]!, PURPOSE, `${projectId}.${randomToken()}`);
  await engine.records<TicketRecord>(projectId, LIVE_TICKETS).insert({
    _id: hashedId(ticket),
    collectionName: asked.collectionName,
    query: asked.query,
    lastEventId: asked.lastEventId,
    origin: asked.origin,
    sealedCredentials: await keyRing.seal(JSON.stringify(credentials), bindingOf(projectId)),
    expiresAt: new Date(clock.now() + LIVE_TICKET_SECONDS * 1000).toISOString(),
  });
  return ticket;
}

/**
 * Takes a ticket of this collection, from the page that asked for it: it is good for nothing any
 * more. Throws `TICKET_INVALID`, one refusal for all that may be wrong with it.
 */
export async function takeTicket(
  { engine, clock, keyRing, liveTicketKeys }: TicketServices,
  { ticket, collectionName, origin }: {
    readonly ticket: string;
    readonly collectionName: string;
    /** Null where no page says which it is, as browsers do of addresses at its own origin. */
    readonly origin: string | null;
  },
): Promise<TicketHolder> {
  const projectId = unsigned(liveTicketKeys, PURPOSE, ticket)?.split(".")[0];
  if (projectId === undefined) throw new Problem("TICKET_INVALID");
  const taken = await engine.records<TicketRecord>(projectId, LIVE_TICKETS).deleteOne(and(
    eq("_id", hashedId(ticket)),
    eq("collectionName", collectionName),
    compare("expiresAt", "gt", new Date(clock.now()).toISOString()),
    ...(origin === null ? [] : [within("origin", [origin, null])]),
  ));
  if (taken === null) throw new Problem("TICKET_INVALID");
  const { query, lastEventId, origin: asker, sealedCredentials } = taken.value;
  const credentials = parseJson(
    await keyRing.open(sealedCredentials, bindingOf(projectId)),
  ) as unknown as Credentials; // As they were sealed.
  return { collectionName, query, lastEventId, origin: asker, credentials };
}
