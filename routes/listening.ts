import type { Config } from "@/lib/runtime/config.ts";

type ListenAddress = Pick<Config, "host" | "port">;

/** Throws if another program listens on the port, which `reusePort` would not notice. */
export function assertPortIsFree({ host, port }: ListenAddress): void {
  listenOrExplain({ host, port }, () => Deno.listen({ hostname: host, port })).close();
}

/** Starts to listen. Throws an error that names the address if it cannot be used. */
export function listenOrExplain<T>({ host, port }: ListenAddress, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const why = error instanceof Deno.errors.AddrInUse
      ? "the port is in use by another program: stop it, or set PORT"
      : (error as Error).message;
    throw new Error(`Cannot listen on ${host}:${port}: ${why}`, { cause: error });
  }
}

/** Returns a name that one process has at a time, by machine and address; null for port 0. */
export const serverIdentity = ({ host, port }: ListenAddress): string | null =>
  port === 0 ? null : `${Deno.hostname()} ${host}:${port}`;
