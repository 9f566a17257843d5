/** Globals of browsers, which other runtimes lack or restrict. */
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
  /** Runs work with a lock. With `ifAvailable`, the lock is null if it is taken. */
  request<T>(
    name: string,
    options: { readonly ifAvailable?: boolean },
    work: (lock: object | null) => Promise<T>,
  ): Promise<T>;
}

/** The part of `XMLHttpRequest` that uploads use, because `fetch` does not report progress. */
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

/** Returns a stored value; null if there is none or storage is not allowed, as in some frames. */
export function readStored(store: "localStorage" | "sessionStorage", name: string): string | null {
  try {
    return browser[store].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a value if the page may use storage. @param value Null removes it. */
export function store(
  store: "localStorage" | "sessionStorage",
  name: string,
  value: string | null,
): void {
  try {
    if (value === null) browser[store].removeItem(name);
    else browser[store].setItem(name, value);
  } catch {
    // The page may not use storage.
  }
}
