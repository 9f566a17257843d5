import { type Clock, timestamp } from "../../clock.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { Problem } from "../../problems.ts";
import { lockAccount } from "../../projects/ownership.ts";
import { createProject, insertOwner } from "../../projects/create_project.ts";
import { type ProjectRecord, PROJECTS } from "../../projects/records.ts";
import type { Services } from "../../services.ts";
import { UniqueViolation } from "../../store/errors.ts";
import { and, compare, eq, or } from "../../store/filter.ts";
import type { Engine, Id } from "../../store/port.ts";
import type { CheckedArchive } from "./check_archive.ts";
import { refuse } from "./reader.ts";

/** Somebody who gives no sign of life for this long has ended. */
const SILENCE_MS = 30_000;
const SIGN_MS = 5_000;

/** The project that an archive becomes, while it does: nobody is a member, and nobody has its keys. */
export class ImportState {
  readonly projectId: Id;
  readonly #services: { readonly engine: Engine; readonly clock: Clock };
  #signAt: number;

  private constructor(
    services: { readonly engine: Engine; readonly clock: Clock },
    projectId: Id,
  ) {
    this.#services = services;
    this.projectId = projectId;
    this.#signAt = services.clock.now() + SIGN_MS;
  }

  /**
   * Makes the project, or takes up the one that an earlier import of the same archive has left. Throws
   * `INVALID_INPUT` where the id is taken, and while somebody else is at it.
   *
   * @param isCopy Whether the project gets an id of its own.
   */
  static async begin(
    services: Services,
    { manifest, end }: Pick<CheckedArchive, "manifest" | "end">,
    { name, isCopy }: { readonly name: string; readonly isCopy: boolean },
  ): Promise<ImportState> {
    const { engine } = services;
    const projects = engine.records<ProjectRecord>("control", PROJECTS);
    const importDigest = sha256(JSON.stringify([manifest.project.id, end, isCopy]));
    const begun = (await projects.findOne(eq("importDigest", importDigest)))?.value;
    if (begun !== undefined) {
      await takeUp(services, begun);
      return new ImportState(services, begun._id);
    }
    const projectId = isCopy ? services.newId() : manifest.project.id;
    if (await projects.get(projectId) !== null || (await engine.spaces()).includes(projectId)) {
      throw refuse(
        `There is a project ${projectId} already, maybe in the trash: with --copy the archive ` +
          "becomes another one, with an id of its own.",
      );
    }
    const given = { name, siteUrl: null, isOperators: true, projectId, importDigest };
    await createProject(services, given).catch((error) => {
      if (!(error instanceof UniqueViolation)) throw error;
      throw refuse(`This archive is being imported as project ${projectId} by another process.`);
    });
    return new ImportState(services, projectId);
  }

  /** A sign of life, where one is due. Throws where the project is gone. */
  async sign(): Promise<void> {
    const { clock } = this.#services;
    if (clock.now() < this.#signAt) return;
    this.#signAt = clock.now() + SIGN_MS;
    await this.#touch(timestamp(clock));
  }

  /** Leaves it to whoever imports the archive anew. */
  async leave(): Promise<void> {
    await this.#touch(new Date(this.#services.clock.now() - SILENCE_MS).toISOString());
  }

  /** Makes the project one like any other. Throws `ACCOUNT_NOT_FOUND`. */
  async finish(newId: () => Id, ownerId: Id | null): Promise<void> {
    const { engine, clock } = this.#services;
    const { projectId } = this;
    await engine.transaction("control", async (tx) => {
      if (ownerId !== null) {
        if (await lockAccount(tx, ownerId) === null) throw new Problem("ACCOUNT_NOT_FOUND");
        const createdAt = timestamp(clock);
        await insertOwner(tx, { _id: newId(), projectId, accountId: ownerId, createdAt });
      }
      await tx.records<ProjectRecord>(PROJECTS).updateOne(eq("_id", projectId), {
        set: { ownerId },
        unset: ["importDigest", "importTouchedAt"],
      });
    });
  }

  async #touch(importTouchedAt: string): Promise<void> {
    const touched = await this.#services.engine.records<ProjectRecord>("control", PROJECTS)
      .updateOne(eq("_id", this.projectId), { set: { importTouchedAt } });
    if (touched === null) throw refuse("The project that was being imported is gone.");
  }
}

/** Of many at once one gets it. */
async function takeUp(
  { engine, clock }: { readonly engine: Engine; readonly clock: Clock },
  { _id, importTouchedAt = null }: ProjectRecord,
): Promise<void> {
  const silent = new Date(clock.now() - SILENCE_MS).toISOString();
  const free = or(eq("importTouchedAt", null), compare("importTouchedAt", "lte", silent));
  const taken = await engine.records<ProjectRecord>("control", PROJECTS)
    .updateOne(and(eq("_id", _id), free), { set: { importTouchedAt: timestamp(clock) } });
  if (taken !== null) return;
  throw refuse(
    `This archive is being imported as project ${_id} by another process, last seen at ` +
      `${importTouchedAt}. If that was ended, try again in ${SILENCE_MS / 1000} seconds.`,
  );
}
