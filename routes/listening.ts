import type { Config } from "@/lib/runtime/config.ts";

type Place = Pick<Config, "host" | "port">;

/**
 * Throws as {@linkcode listening} does where somebody listens on the port. Who is willing to share a
 * port would not be told that another program shares it.
 */
export function assertPortIsFree({ host, port }: Place): void {
  listening({ host, port }, () => Deno.listen({ hostname: host, port })).close();
}

/** Begins to listen. Throws where the address cannot be had, and says which it was. */
export function listening<T>({ host, port }: Place, start: () => T): T {
  try {
    return start();
  } catch (error) {
    const why = error instanceof Deno.errors.AddrInUse
      ? "the port is in use by another program: stop it, or set PORT"
      : (error as Error).message;
    throw new Error(`Cannot listen on ${host}:${port}: ${why}`, { cause: error });
  }
}

/**
 * Names the machine and the address that a process serves on, of which there is one at a time: the
 * process that has it next knows that this one has ended. Null if the port is any free one.
 */
export const servedAt = ({ host, port }: Place): string | null =>
  port === 0 ? null : `${Deno.hostname()} ${host}:${port}`;
