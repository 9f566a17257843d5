/** Two hooks for React 18 and newer, to copy into an application. */

import { useEffect, useState } from "react";
import type {
  Client,
  Collection,
  CorbelError,
  ListQuery,
  ProjectTypes,
  Shown,
} from "../../client/client.d.ts";

type Collections<P extends ProjectTypes> = P["collections"];

export interface UserState<P extends ProjectTypes> {
  readonly user: P["user"] | null;
  /** False until a session from an earlier visit has been restored or found missing. */
  readonly isKnown: boolean;
}

/** Returns the signed-in user. The component is rendered again when the user changes. */
export function useUser<P extends ProjectTypes>(corbel: Client<P>): UserState<P> {
  const [state, setState] = useState<UserState<P>>({ user: corbel.auth.user, isKnown: false });
  useEffect(() => corbel.auth.onChange((user) => setState({ user, isKnown: true })), [corbel]);
  return state;
}

export interface ListState<D> {
  readonly items: readonly D[];
  readonly total: number | undefined;
  readonly isLoading: boolean;
  /** Whether changes arrive at the moment. */
  readonly isConnected: boolean;
  /** The error that ended the list. */
  readonly error: CorbelError | null;
}

const NOTHING_YET = {
  items: [],
  total: undefined,
  isLoading: true,
  isConnected: false,
  error: null,
};

/**
 * Returns a live list while the component is mounted. It is opened again for another query or user.
 * The query may be an inline object, because queries are compared by their content.
 */
export function useList<
  P extends ProjectTypes,
  Name extends Extract<keyof Collections<P>, string>,
  const Field extends string = never,
>(
  corbel: Client<P>,
  collection: Name,
  query: Omit<
    ListQuery<Collections<P>[Name], Field, never>,
    "page" | "cursor" | "populate" | "signal"
  > = {},
): ListState<Shown<P, Collections<P>[Name], Field>> {
  type Listed = ListState<Shown<P, Collections<P>[Name], Field>>;
  const { user, isKnown } = useUser(corbel);
  const userId = user && "_id" in user ? user._id : null;
  const text = JSON.stringify(query);
  const [state, setState] = useState<Listed>(NOTHING_YET);
  useEffect(() => {
    if (!isKnown) return;
    setState(NOTHING_YET);
    const change = (part: Partial<Listed>) =>
      setState((before: Listed) => ({ ...before, ...part }));
    const documents: Collection<P, Collections<P>[Name]> = corbel.from(collection);
    const live = documents.live<Field>(JSON.parse(text), {
      items: (items, total) => change({ items, total, isLoading: false }),
      connected: (isConnected) => change({ isConnected }),
      error: (error) => change({ error, isLoading: false, isConnected: false }),
    });
    return () => live.close();
  }, [corbel, collection, text, userId, isKnown]);
  return state;
}
