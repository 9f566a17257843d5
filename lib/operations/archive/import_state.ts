import { type Clock, timestamp } from "../../clock.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { Problem } from "../../problems.ts";
import { lockAccount } from "../../projects/ownership.ts";
import { createProject, insertOwner } from "../../projects/create_project.ts";
import { type ProjectRecord, PROJECTS } from "../../projects/records.ts";
import { isNew } from "../../projects/unfinished.ts";
import type { Services } from "../../services.ts";
import { UniqueViolation } from "../../store/errors.ts";
import { and, eq } from "../../store/filter.ts";
import type { Engine, Id } from "../../store/port.ts";
import { removeProject } from "../project_trash.ts";
import type { CheckedArchive } from "./check_archive.ts";
import { refuse } from "./reader.ts";

/** A running import increments its counter this often. */
const BEAT_MS = 1_000;
/** An import whose counter stays the same for so long has ended, and another one may go on with it. */
const SILENCE_MS = 5_000;
const LOOK_MS = 200;

/** Another process goes on with the import, because this one gave no sign of life. */
export class ImportTakenOver extends Error {
  override readonly name = "ImportTakenOver";
  override readonly message = "Another process has taken over this import.";
}

interface StateServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

/**
 * A project while an archive is imported into it: it has no members, and its keys are unknown. A
 * counter in its record is the import's lease. A running import increments it, and so does one that
 * takes over a killed import, so that only one import continues.
 */
export class ImportState implements AsyncDisposable {
  readonly projectId: Id;
  readonly #services: StateServices;
  #beats: number;
  #isLost = false;
  #beating: Promise<void> | null = null;
  readonly #timer: ReturnType<typeof setInterval>;

  private constructor(services: StateServices, projectId: Id, beats: number) {
    this.#services = services;
    this.projectId = projectId;
    this.#beats = beats;
    this.#timer = setInterval(() => this.#beating ??= this.#beat(), BEAT_MS);
  }

  /**
   * Makes the project, or takes up the one that an earlier import of the same archive has left: at once,
   * or after {@linkcode SILENCE_MS} where that one was killed. Throws `INVALID_INPUT` where the id is
   * taken, and while another process imports the archive.
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
      return new ImportState(services, begun._id, await takeUp(services, begun));
    }
    const projectId = isCopy ? services.newId() : manifest.project.id;
    const isKnown = await projects.get(projectId) !== null;
    if (isKnown || await hasData(services, projectId)) {
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
    return new ImportState(services, projectId, 1);
  }

  /** Throws {@linkcode ImportTakenOver} where another process goes on with the import. */
  assertHeld(): void {
    if (this.#isLost) throw new ImportTakenOver();
  }

  /** Leaves it to the next import of the archive. */
  async leave(): Promise<void> {
    await this.#stop();
    await this.#projects.updateOne(this.#held, { unset: ["importBeats"] });
  }

  /** Removes all of it, unless another process goes on with it. */
  async remove(services: Services): Promise<void> {
    await this.#stop();
    await removeProject(services, this.projectId, this.#held);
  }

  /** Makes the project one like any other. Throws `ACCOUNT_NOT_FOUND` and {@linkcode ImportTakenOver}. */
  async finish(newId: () => Id, ownerId: Id | null): Promise<void> {
    const { engine, clock } = this.#services;
    const { projectId } = this;
    await this.#stop();
    await engine.transaction("control", async (tx) => {
      if (ownerId !== null) {
        if (await lockAccount(tx, ownerId) === null) throw new Problem("ACCOUNT_NOT_FOUND");
        const createdAt = timestamp(clock);
        await insertOwner(tx, { _id: newId(), projectId, accountId: ownerId, createdAt });
      }
      const finished = await tx.records<ProjectRecord>(PROJECTS).updateOne(this.#held, {
        set: { ownerId },
        unset: ["importDigest", "importTouchedAt", "importBeats"],
      });
      if (finished === null) throw new ImportTakenOver();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  get #projects() {
    return this.#services.engine.records<ProjectRecord>("control", PROJECTS);
  }

  /** The project, as long as no other process has incremented its counter. */
  get #held() {
    return and(eq("_id", this.projectId), eq("importBeats", this.#beats));
  }

  async #beat(): Promise<void> {
    try {
      const beats = this.#beats + 1;
      const set = { importBeats: beats, importTouchedAt: timestamp(this.#services.clock) };
      if (await this.#projects.updateOne(this.#held, { set }) === null) this.#isLost = true;
      else this.#beats = beats;
    } catch {
      // A store that does not answer now is asked again by the next beat.
    } finally {
      this.#beating = null;
    }
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }
}

/** Whether there is more of a project than a creation that was killed has left. */
const hasData = async ({ engine }: StateServices, projectId: Id): Promise<boolean> =>
  (await engine.spaces()).includes(projectId) && !await isNew(engine, projectId);

/** Resolves to the counter as it is now. Of many imports at once one gets it. */
async function takeUp(
  { engine, clock }: StateServices,
  { _id, importBeats = null }: ProjectRecord,
): Promise<number> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  const taken = refuse(`This archive is being imported as project ${_id} by another process.`);
  for (let waited = 0; importBeats !== null && waited < SILENCE_MS; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const beats = (await projects.get(_id))?.value.importBeats;
    if (beats !== importBeats) throw taken;
  }
  const beats = (importBeats ?? 0) + 1;
  const set = { importBeats: beats, importTouchedAt: timestamp(clock) };
  const found = and(eq("_id", _id), eq("importBeats", importBeats));
  if (await projects.updateOne(found, { set }) === null) throw taken;
  return beats;
}
