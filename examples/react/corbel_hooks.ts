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
  /** False until it is known whether somebody is signed in from an earlier visit. */
  readonly isKnown: boolean;
}

/** Who is signed in. The component is drawn anew whenever that changes. */
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
  /** Why it has ended for good. */
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
 * A list as it is on the server, for as long as the component is there. It begins anew with another
 * query, and with another user. The query may be written where it is used: what it says counts.
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
