import type { Services } from "@/lib/services.ts";
import type { Id, PositionedChange } from "@/lib/store/port.ts";

/** Resolves to a function that returns the changes of a project since its previous call. */
export async function openChangeReader(
  { engine: { changes } }: Pick<Services, "engine">,
  projectId: Id,
): Promise<() => Promise<PositionedChange[]>> {
  let position = await changes.head(projectId);
  return async () => {
    await using feed = changes.follow(projectId, position);
    const recorded: PositionedChange[] = [];
    for await (const batch of feed) {
      if (batch.changes.length === 0) break;
      recorded.push(...batch.changes);
    }
    position = recorded.at(-1)?.position ?? position;
    return recorded;
  };
}
