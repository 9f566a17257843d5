/** Host names of this machine as in `URL.hostname`, for which plain http is safe. */
export const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a `URL.hostname` always resolves to this machine, without DNS. */
export const isLocalName = (hostname: string): boolean =>
  LOCAL_HOSTS.includes(hostname) || hostname.endsWith(".localhost");
