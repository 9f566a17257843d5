import type { Clock } from "../../clock.ts";
import { hashedId } from "../../crypto/hashes.ts";
import type { KeyRing } from "../../crypto/key_ring.ts";
import { randomToken } from "../../crypto/random.ts";
import type { SealedField } from "../../crypto/sealed_field.ts";
import { sign, unsign } from "../../crypto/signed.ts";
import type { Credentials } from "../../http/request.ts";
import { LIVE_TICKET_SECONDS } from "../../limits.ts";
import { Problem } from "../../problems.ts";
import { and, compare, eq, within } from "../../store/filter.ts";
import { parseJson } from "../../store/json_text.ts";
import type { Engine, Id } from "../../store/port.ts";
import type { LiveQuery } from "./plan.ts";
import { field, nullable, recordKind, type RecordOf } from "../../store/record_kind.ts";

export interface LiveTicket extends LiveQuery {
  /** The credentials of the request that created the ticket. */
  readonly credentials: Credentials;
  readonly lastEventId: string | null;
  /** Origin of the page that requested the ticket; null for other clients. */
  readonly origin: string | null;
}

/** Stored in the project's space. The id is the hash of the ticket, which is not stored. */
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

export const LIVE_TICKET_SEALS: SealedField = {
  definition: LIVE_TICKETS,
  member: "sealedCredentials",
  binding: (_record, projectId) => bindingOf(projectId!),
};

export interface TicketServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  /** Keys for signing tickets, newest first. */
  readonly liveTicketKeys: readonly string[];
}

const PURPOSE = "live ticket";

/** Creates a ticket that opens a live list once within `LIVE_TICKET_SECONDS`. */
export async function issueTicket(
  { engine, clock, keyRing, liveTicketKeys }: TicketServices,
  projectId: Id,
  { credentials, ...request }: LiveTicket,
): Promise<string> {
  const ticket = sign(liveTicketKeys[0]!, PURPOSE, `${projectId}.${randomToken()}`);
  await engine.records<TicketRecord>(projectId, LIVE_TICKETS).insert({
    _id: hashedId(ticket),
    collectionName: request.collectionName,
    query: request.query,
    lastEventId: request.lastEventId,
    origin: request.origin,
    sealedCredentials: await keyRing.seal(JSON.stringify(credentials), bindingOf(projectId)),
    expiresAt: new Date(clock.now() + LIVE_TICKET_SECONDS * 1000).toISOString(),
  });
  return ticket;
}

/** Deletes a ticket, for its collection and page only. Throws `TICKET_INVALID` for every cause. */
export async function redeemTicket(
  { engine, clock, keyRing, liveTicketKeys }: TicketServices,
  { ticket, collectionName, origin }: {
    readonly ticket: string;
    readonly collectionName: string;
    /** Null for clients without an `Origin` header, such as browsers at Corbel's own origin. */
    readonly origin: string | null;
  },
): Promise<LiveTicket> {
  const projectId = unsign(liveTicketKeys, PURPOSE, ticket)?.split(".")[0];
  if (projectId === undefined) throw new Problem("TICKET_INVALID");
  const taken = await engine.records<TicketRecord>(projectId, LIVE_TICKETS).deleteOne(and(
    eq("_id", hashedId(ticket)),
    eq("collectionName", collectionName),
    compare("expiresAt", "gt", new Date(clock.now()).toISOString()),
    ...(origin === null ? [] : [within("origin", [origin, null])]),
  ));
  if (taken === null) throw new Problem("TICKET_INVALID");
  const { query, lastEventId, origin: requester, sealedCredentials } = taken.value;
  const credentials = parseJson(
    await keyRing.open(sealedCredentials, bindingOf(projectId)),
  ) as unknown as Credentials; // As they were sealed.
  return { collectionName, query, lastEventId, origin: requester, credentials };
}
