import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedField } from "../crypto/sealed_field.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { SIGN_IN_MS } from "../limits.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Challenge } from "./oauth.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** Sign-ins between start and callback. Stored in the project's space. */
export const SIGN_IN_STATES = recordKind({
  name: "_signInStates",
  fields: {
    /** SHA-256 of the state, which is not stored. */
    stateHash: field.text,
    provider: field.text,
    /** SHA-256 of the mark in the browser's cookie. */
    browserHash: field.text,
    /** Secrets that the callback needs, sealed for this state. */
    sealed: field.text,
    expiresAt: field.date,
  },
  indexes: [{ keys: [{ path: "stateHash", descending: false }], unique: true }],
  trash: false,
  expiry: "expiresAt",
});

export type SignInStateRecord = RecordOf<typeof SIGN_IN_STATES>;

export interface StartedSignIn {
  readonly challenge: Challenge;
  readonly returnTo: string | null;
  readonly applicationState: string | null;
  /** Path of the dashboard where a trial ends; null for a sign-in of an application. */
  readonly trialPath: string | null;
}

interface StateServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
}

/** The sealed data. The browser brings back the state itself. */
type SealedPart = {
  verifier: string;
  nonce: string | null;
  returnTo: string | null;
  applicationState: string | null;
  /** Missing in sign-ins of earlier versions. */
  trialPath?: string | null;
};

const STATE = /^([0-9a-f]{24})\.[A-Za-z0-9_-]{43}$/;

/** Generates a state: the project's id, by which the callback finds it, and 32 random bytes. */
export const generateState = (projectId: Id): string => `${projectId}.${randomToken()}`;

/** Returns the project of a state, or null for a malformed state. */
export const projectOfState = (state: string): Id | null => STATE.exec(state)?.[1] ?? null;

const bindingOf = (project: Id, stateHash: string) => ({
  project,
  purpose: `sign-in ${stateHash}`,
});

export const SIGN_IN_SEALS: SealedField = {
  definition: SIGN_IN_STATES,
  member: "sealed",
  binding: ({ stateHash }, projectId) => bindingOf(projectId!, String(stateHash)),
};

/** Stores a sign-in for its callback, for at most ten minutes. */
export async function storeState(
  { engine, clock, keyRing, newId }: StateServices & { newId: NewId },
  projectId: Id,
  signIn: StartedSignIn & { readonly provider: string; readonly browserHash: string },
): Promise<void> {
  const { challenge, returnTo, applicationState, trialPath, provider, browserHash } = signIn;
  const { verifier, nonce } = challenge;
  const stateHash = sha256(challenge.state);
  const part: SealedPart = { verifier, nonce, returnTo, applicationState, trialPath };
  await engine.records<SignInStateRecord>(projectId, SIGN_IN_STATES).insert({
    _id: newId(),
    stateHash,
    provider,
    browserHash,
    sealed: await keyRing.seal(jsonText(part), bindingOf(projectId, stateHash)),
    expiresAt: new Date(clock.now() + SIGN_IN_MS).toISOString(),
  });
}

/** Takes a sign-in atomically. Returns null, and keeps it, for another provider or browser. */
export async function takeState(
  { engine, clock, keyRing }: StateServices,
  projectId: Id,
  { state, provider, browserHashes }: {
    state: string;
    provider: string;
    browserHashes: readonly string[];
  },
): Promise<StartedSignIn | null> {
  const stateHash = sha256(state);
  const taken = await engine.records<SignInStateRecord>(projectId, SIGN_IN_STATES).deleteOne(and(
    eq("stateHash", stateHash),
    eq("provider", provider),
    within("browserHash", browserHashes),
    compare("expiresAt", "gt", new Date(clock.now()).toISOString()),
  ));
  if (taken === null) return null;
  const opened = await keyRing.open(taken.value.sealed, bindingOf(projectId, stateHash));
  const { verifier, nonce, trialPath = null, ...rest } = parseJson(opened) as SealedPart;
  return { challenge: { state, verifier, nonce }, trialPath, ...rest };
}
