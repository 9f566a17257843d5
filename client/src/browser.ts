/** What only browsers have. Elsewhere nothing of it is there, or it is refused. */
interface Browser {
  readonly document?: unknown;
  readonly location: { readonly hash: string; readonly search: string; assign(url: string): void };
  readonly history: { replaceState(state: unknown, title: string, url: string): void };
  readonly navigator?: { readonly locks?: Locks; readonly onLine?: boolean };
  addEventListener?(name: "offline", listener: () => void): void;
  removeEventListener?(name: "offline", listener: () => void): void;
  readonly localStorage: Storage;
  readonly sessionStorage: Storage;
  readonly XMLHttpRequest?: new () => UploadRequest;
}

export interface Locks {
  /** The lock is null where it is not free, and `ifAvailable` is asked for. */
  request<T>(
    name: string,
    options: { readonly ifAvailable?: boolean },
    work: (lock: object | null) => Promise<T>,
  ): Promise<T>;
}

/** As much of `XMLHttpRequest` as an upload needs: `fetch` does not tell how far it is. */
export interface UploadRequest {
  readonly upload: { onprogress: (event: { readonly loaded: number }) => void };
  readonly status: number;
  onload: () => void;
  onerror: () => void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

export const browser = globalThis as unknown as Browser;

export const isPage = browser.document !== undefined;

/** Pages that may keep nothing, as in some frames, keep nothing. */
export function kept(store: "localStorage" | "sessionStorage", name: string): string | null {
  try {
    return browser[store].getItem(name);
  } catch {
    return null;
  }
}

/** @param value Null forgets it. */
export function keep(
  store: "localStorage" | "sessionStorage",
  name: string,
  value: string | null,
): void {
  try {
    if (value === null) browser[store].removeItem(name);
    else browser[store].setItem(name, value);
  } catch {
    // As above.
  }
}
