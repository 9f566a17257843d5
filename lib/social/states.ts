import type { Clock } from "../clock.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { KeyRing } from "../crypto/key_ring.ts";
import type { SealedPlace } from "../crypto/sealed_place.ts";
import { randomToken } from "../crypto/random.ts";
import type { NewId } from "../ids.ts";
import { SIGN_IN_MS } from "../limits.ts";
import { and, compare, eq, within } from "../store/filter.ts";
import { jsonText, parseJson } from "../store/json_text.ts";
import type { Engine, Id } from "../store/port.ts";
import type { Challenge } from "./oauth.ts";
import { field, recordKind, type RecordOf } from "../store/record_kind.ts";

/** A sign-in between start and callback. In each project's space. */
export const SIGN_IN_STATES = recordKind({
  name: "_signInStates",
  fields: {
    /** SHA-256 of the state; the state itself travels and is kept nowhere. */
    stateHash: field.text,
    provider: field.text,
    /** SHA-256 of what the browser holds in its cookie. */
    browserHash: field.text,
    /** What the callback needs and nobody else may know, sealed for this state alone. */
    sealed: field.text,
    expiresAt: field.date,
  },
  indexes: [{ keys: [{ path: "stateHash", descending: false }], unique: true }],
  trash: false,
  expiry: "expiresAt",
});

export type SignInStateRecord = RecordOf<typeof SIGN_IN_STATES>;

/** What a callback finds of its start. */
export interface BegunSignIn {
  readonly challenge: Challenge;
  readonly returnTo: string | null;
  readonly applicationState: string | null;
  /** Where a trial ends, a path of our own; null for a sign-in that an application began. */
  readonly trialPath: string | null;
}

interface StateServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
}

/** What is sealed; the state itself comes back by the browser. */
type SealedPart = {
  verifier: string;
  nonce: string | null;
  returnTo: string | null;
  applicationState: string | null;
  /** Sign-ins that earlier versions began have none. */
  trialPath?: string | null;
};

const STATE = /^([0-9a-f]{24})\.[A-Za-z0-9_-]{43}$/;

/** 32 random bytes, with the project before them: a callback knows nothing else of whose it is. */
export const newState = (projectId: Id): string => `${projectId}.${randomToken()}`;

/** The project that a state names; null if it is none of ours. */
export const projectOf = (state: string): Id | null => STATE.exec(state)?.[1] ?? null;

const bindingOf = (project: Id, stateHash: string) => ({
  project,
  purpose: `sign-in ${stateHash}`,
});

export const SIGN_IN_SEALS: SealedPlace = {
  definition: SIGN_IN_STATES,
  member: "sealed",
  binding: ({ stateHash }, projectId) => bindingOf(projectId!, String(stateHash)),
};

/** Keeps a sign-in until it comes back, for ten minutes at most. */
export async function keepState(
  { engine, clock, keyRing, newId }: StateServices & { newId: NewId },
  projectId: Id,
  begun: BegunSignIn & { readonly provider: string; readonly browserHash: string },
): Promise<void> {
  const { challenge, returnTo, applicationState, trialPath, provider, browserHash } = begun;
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

/**
 * Takes a sign-in by its state, once, in one atomic step. Null for every state that is not one of
 * this provider and browser, which then stays as it is: nobody can spoil another's sign-in.
 */
export async function takeState(
  { engine, clock, keyRing }: StateServices,
  projectId: Id,
  { state, provider, browserHashes }: {
    state: string;
    provider: string;
    browserHashes: readonly string[];
  },
): Promise<BegunSignIn | null> {
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
