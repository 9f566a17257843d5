import { Problem } from "../problems.ts";
import type { Services } from "../services.ts";
import type { Id } from "../store/port.ts";
import { type ConfigurationChange, type Step, stepsOf } from "./configuration_steps.ts";
import { type ProjectConfiguration, pullConfiguration } from "./project_configuration.ts";

export interface PushOptions {
  /** Only tells what would be changed. */
  readonly dryRun?: boolean;
  /** Whether documents may go. */
  readonly allowLoss?: boolean;
}

/**
 * Makes a project as a configuration says, and tells what that changes. What it must not do is told
 * before anything is done. Throws `INVALID_INPUT` where data would be lost, and as the verbs do
 * that make the changes: then those before the one that is named are done.
 */
export async function pushConfiguration(
  services: Services,
  projectId: Id,
  given: ProjectConfiguration,
  { dryRun = false, allowLoss = false }: PushOptions = {},
): Promise<ConfigurationChange[]> {
  const steps = await stepsOf({
    services,
    projectId,
    now: await pullConfiguration(services, projectId),
    given,
  });
  const changes = steps.map(({ run: _run, ...change }) => change);
  if (dryRun) return changes;
  const losing = changes.filter(({ loses }) => loses !== undefined);
  if (losing.length > 0 && !allowLoss) {
    const what = losing.map(({ what, loses }) => `${what} (${loses})`).join(", ");
    throw new Problem("INVALID_INPUT", {
      message: `Nothing was changed, because these would be lost: ${what}. ` +
        "Push with --allow-loss if they may.",
    });
  }
  for (const [i, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      throw error instanceof Problem ? stopped(error, steps, i) : error;
    }
  }
  return changes;
}

function stopped({ code, message, faults }: Problem, steps: readonly Step[], at: number): Problem {
  const { action, what } = steps[at]!;
  const before = at === 0 ? "Nothing was changed" : `${at} of ${steps.length} changes were made`;
  return new Problem(code, {
    message: `To ${action} ${what} was refused: ${message} ${before}; push again to go on.`,
    faults,
  });
}
