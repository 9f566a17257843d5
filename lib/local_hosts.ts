/** Host names, as URLs spell them, that never leave the machine: plain http is safe there. */
export const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a host name, as URLs spell it, always leads to this machine: browsers ask no DNS for it. */
export const isLocalName = (hostname: string): boolean =>
  LOCAL_HOSTS.includes(hostname) || hostname.endsWith(".localhost");
