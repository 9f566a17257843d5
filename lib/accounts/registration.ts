import type { Clock } from "../clock.ts";
import type { RegistrationRule } from "../runtime/config.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { claimWithin } from "../projects/claims.ts";
import { claimRegistration, findUnusedInvitation } from "../projects/invitations.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { ACCOUNTS } from "../projects/account_records.ts";

export interface RegistrationServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly config: { readonly registration: RegistrationRule };
}

/** Why a registration is allowed: it is open, it is the first account, or it has an invitation. */
export type Admission =
  | { readonly by: "rule" | "first" }
  | { readonly by: "invitation"; readonly invitationId: Id };

type Reader = Pick<Transaction, "records">;

/** Throws `REGISTRATION_CLOSED`, and `REGISTRATION_INVITED` if a valid invitation is required. */
export async function findAdmission(
  services: RegistrationServices,
  invitation: string | null,
): Promise<Admission> {
  const { engine } = services;
  return await readAdmission(
    { records: (definition) => engine.records("control", definition) },
    services,
    invitation,
  );
}

async function readAdmission(
  reader: Reader,
  services: RegistrationServices,
  invitation: string | null,
): Promise<Admission> {
  const { config: { registration } } = services;
  if (registration === "open") return { by: "rule" };
  if (registration === "closed") throw new Problem("REGISTRATION_CLOSED");
  const invitationId = invitation === null
    ? null
    : await findUnusedInvitation(reader, services, invitation);
  if (invitationId !== null) return { by: "invitation", invitationId };
  const isFirst = registration === "first" && await reader.records(ACCOUNTS).findOne(ALL) === null;
  if (!isFirst) throw new Problem("REGISTRATION_INVITED");
  return { by: "first" };
}

/** Whether the next registration is allowed because there is no account yet. */
export async function isAwaitingFirstAccount(services: RegistrationServices): Promise<boolean> {
  if (services.config.registration !== "first") return false;
  return await services.engine.records("control", ACCOUNTS).findOne(ALL) === null;
}

/** Admits only one of concurrent registrations. Throws like {@linkcode findAdmission}. */
export async function consumeAdmission(
  tx: Transaction,
  services: RegistrationServices,
  invitation: string | null,
): Promise<void> {
  const admission = await readAdmission(tx, services, invitation);
  if (admission.by === "rule") return;
  const isTaken = admission.by === "invitation"
    ? await claimRegistration(tx, admission.invitationId)
    : await claimFirstAccount(tx, services);
  if (!isTaken) throw new Problem("REGISTRATION_INVITED");
}

/** Returns true for the first account of a store, and false ever after, even if it is deleted. */
export const claimFirstAccount = (
  tx: Transaction,
  services: { readonly newId: NewId; readonly clock: Clock },
): Promise<boolean> => claimWithin(tx, services, "first account");
