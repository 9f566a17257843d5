/** Host names, as URLs spell them, that never leave the machine: plain http is safe there. */
export const LOCAL_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
