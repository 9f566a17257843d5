import type { Clock } from "../clock.ts";
import type { RegistrationRule } from "../runtime/config.ts";
import type { NewId } from "../ids.ts";
import { Problem } from "../problems.ts";
import { claimWithin } from "../projects/claims.ts";
import { registeringInvitation, takeRegistration } from "../projects/invitations.ts";
import { ALL } from "../store/filter.ts";
import type { Engine, Id, Transaction } from "../store/port.ts";
import { ACCOUNTS } from "../projects/account_records.ts";

export interface RegistrationServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly config: { readonly registration: RegistrationRule };
}

/** Why somebody may register: everybody may, nobody is here yet, or they are invited. */
export type Admission =
  | { readonly by: "rule" | "first" }
  | { readonly by: "invitation"; readonly invitationId: Id };

type Reader = Pick<Transaction, "records">;

/**
 * Why somebody may register now, with the token of an invitation or without. Changes nothing. Throws
 * `REGISTRATION_CLOSED`, and `REGISTRATION_INVITED` where it takes an invitation that is valid.
 */
export async function findAdmission(
  services: RegistrationServices,
  invitation: string | null,
): Promise<Admission> {
  const { engine } = services;
  return await admissionIn(
    { records: (definition) => engine.records("control", definition) },
    services,
    invitation,
  );
}

async function admissionIn(
  reader: Reader,
  services: RegistrationServices,
  invitation: string | null,
): Promise<Admission> {
  const { config: { registration } } = services;
  if (registration === "open") return { by: "rule" };
  if (registration === "closed") throw new Problem("REGISTRATION_CLOSED");
  const invitationId = invitation === null
    ? null
    : await registeringInvitation(reader, services, invitation);
  if (invitationId !== null) return { by: "invitation", invitationId };
  const isFirst = registration === "first" && await reader.records(ACCOUNTS).findOne(ALL) === null;
  if (!isFirst) throw new Problem("REGISTRATION_INVITED");
  return { by: "first" };
}

/** Whether the first who comes may register, and nobody has yet. */
export async function awaitsFirstAccount(services: RegistrationServices): Promise<boolean> {
  if (services.config.registration !== "first") return false;
  return await services.engine.records("control", ACCOUNTS).findOne(ALL) === null;
}

/**
 * Uses up what admits an account, in the transaction that adds it: of many at once one is the first,
 * and one is made by an invitation. Throws as {@linkcode findAdmission} does.
 */
export async function takeAdmission(
  tx: Transaction,
  services: RegistrationServices,
  invitation: string | null,
): Promise<void> {
  const admission = await admissionIn(tx, services, invitation);
  if (admission.by === "rule") return;
  const isTaken = admission.by === "invitation"
    ? await takeRegistration(tx, admission.invitationId)
    : await claimFirstAccount(tx, services);
  if (!isTaken) throw new Problem("REGISTRATION_INVITED");
}

/** Whether nobody was the first before; from now on somebody was, also when their account is gone. */
export const claimFirstAccount = (
  tx: Transaction,
  services: { readonly newId: NewId; readonly clock: Clock },
): Promise<boolean> => claimWithin(tx, services, "first account");
