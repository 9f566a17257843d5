import { Problem } from "../problems.ts";
import type { Services } from "../services.ts";
import type { Id } from "../store/port.ts";
import {
  type ConfigurationChange,
  type ConfigurationStep,
  planSteps,
} from "./configuration_steps.ts";
import { type ProjectConfiguration, pullConfiguration } from "./project_configuration.ts";

export interface PushOptions {
  readonly dryRun?: boolean;
  /** Whether the push may delete collections that have documents. */
  readonly allowLoss?: boolean;
}

/**
 * Returns the changes. Throws `INVALID_INPUT` before any change if data would be lost. If a change
 * is refused, throws its problem with the name of the change; earlier changes remain.
 */
export async function pushConfiguration(
  services: Services,
  projectId: Id,
  given: ProjectConfiguration,
  { dryRun = false, allowLoss = false }: PushOptions = {},
): Promise<ConfigurationChange[]> {
  const steps = await planSteps({
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
        "Push with --allow-loss to delete them.",
    });
  }
  for (const [i, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      throw error instanceof Problem ? explainFailure(error, steps, i) : error;
    }
  }
  return changes;
}

function explainFailure(
  { code, message, faults }: Problem,
  steps: readonly ConfigurationStep[],
  at: number,
): Problem {
  const { action, what } = steps[at]!;
  const before = at === 0 ? "Nothing was changed" : `${at} of ${steps.length} changes were made`;
  return new Problem(code, {
    message: `Could not ${action} ${what}: ${message} ${before}; push again to continue.`,
    faults,
  });
}
