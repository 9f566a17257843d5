import { type Clock, timestamp } from "../../clock.ts";
import { sha256 } from "../../crypto/hashes.ts";
import { Problem } from "../../problems.ts";
import { lockAccount } from "../../projects/ownership.ts";
import { createProject, insertOwner } from "../../projects/create_project.ts";
import { type ProjectRecord, PROJECTS } from "../../projects/records.ts";
import { isEmptySpace } from "../../projects/remove_unfinished_projects.ts";
import type { Services } from "../../services.ts";
import { UniqueViolation } from "../../store/errors.ts";
import { and, eq } from "../../store/filter.ts";
import type { Engine, Id } from "../../store/port.ts";
import { removeProject } from "../project_trash.ts";
import type { CheckedArchive } from "./check_archive.ts";
import { badArchive } from "./reader.ts";

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Milliseconds without an increment after which another process may continue the import. */
const LEASE_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 200;

/** Thrown if another process continues the import because this one stopped its heartbeat. */
export class ImportTakenOver extends Error {
  override readonly name = "ImportTakenOver";
  override readonly message = "Another process has taken over this import.";
}

interface StateServices {
  readonly engine: Engine;
  readonly clock: Clock;
}

/**
 * A project without members and usable keys, into which an archive is imported. A counter in its
 * record is the lease: the import increments it, and so does a process that takes over a killed
 * import, so that only one process continues.
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
    this.#timer = setInterval(() => this.#beating ??= this.#beat(), HEARTBEAT_INTERVAL_MS);
  }

  /**
   * Creates the project, or continues an import that was released, or killed
   * {@linkcode LEASE_TIMEOUT_MS} ago. Throws `INVALID_INPUT` if the id is taken, or while another
   * process imports the archive.
   */
  static async begin(
    services: Services,
    { manifest, end }: Pick<CheckedArchive, "manifest" | "end">,
    { name, isCopy }: { readonly name: string; readonly isCopy: boolean },
  ): Promise<ImportState> {
    const { engine } = services;
    const projects = engine.records<ProjectRecord>("control", PROJECTS);
    const importDigest = sha256(JSON.stringify([manifest.project.id, end, isCopy]));
    const unfinished = (await projects.findOne(eq("importDigest", importDigest)))?.value;
    if (unfinished !== undefined) {
      return new ImportState(services, unfinished._id, await takeOver(services, unfinished));
    }
    const projectId = isCopy ? services.newId() : manifest.project.id;
    const isKnown = await projects.get(projectId) !== null;
    if (isKnown || await hasData(services, projectId)) {
      throw badArchive(
        `There is a project ${projectId} already, maybe in the trash: import with --copy to ` +
          "create another project from the archive.",
      );
    }
    const given = { name, siteUrl: null, isByOperator: true, projectId, importDigest };
    await createProject(services, given).catch((error) => {
      if (!(error instanceof UniqueViolation)) throw error;
      throw badArchive(
        `This archive is being imported as project ${projectId} by another process.`,
      );
    });
    return new ImportState(services, projectId, 1);
  }

  /** Throws {@linkcode ImportTakenOver} if another process has taken over the import. */
  assertHeld(): void {
    if (this.#isLost) throw new ImportTakenOver();
  }

  /** Lets the next import of the archive continue at once. */
  async release(): Promise<void> {
    await this.#stop();
    await this.#projects.updateOne(this.#held, { unset: ["importBeats"] });
  }

  /** Removes the project unless another process has taken over the import. */
  async remove(services: Services): Promise<void> {
    await this.#stop();
    await removeProject(services, this.projectId, this.#held);
  }

  /** Throws `ACCOUNT_NOT_FOUND` and {@linkcode ImportTakenOver}. */
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

  /** Matches the project if no other process has incremented its counter. */
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
      // The next heartbeat tries again.
    } finally {
      this.#beating = null;
    }
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }
}

const hasData = async ({ engine }: StateServices, projectId: Id): Promise<boolean> =>
  (await engine.spaces()).includes(projectId) && !await isEmptySpace(engine, projectId);

/** Returns the counter. Only one of concurrent callers succeeds. */
async function takeOver(
  { engine, clock }: StateServices,
  { _id, importBeats = null }: ProjectRecord,
): Promise<number> {
  const projects = engine.records<ProjectRecord>("control", PROJECTS);
  const taken = badArchive(`This archive is being imported as project ${_id} by another process.`);
  for (
    let waited = 0;
    importBeats !== null && waited < LEASE_TIMEOUT_MS;
    waited += POLL_INTERVAL_MS
  ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    const beats = (await projects.get(_id))?.value.importBeats;
    if (beats !== importBeats) throw taken;
  }
  const beats = (importBeats ?? 0) + 1;
  const set = { importBeats: beats, importTouchedAt: timestamp(clock) };
  const found = and(eq("_id", _id), eq("importBeats", importBeats));
  if (await projects.updateOne(found, { set }) === null) throw taken;
  return beats;
}
