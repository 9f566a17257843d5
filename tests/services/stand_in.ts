/**
 * SecantusDB, the stand-in for MongoDB where there is none: a server that speaks its wire protocol
 * as a replica set of one member, built once by cargo.
 */

import { type Environment, findProgram, isFile, servicesFolder } from "./programs.ts";
import { type Bringing, run } from "./run_program.ts";

const CRATE = "secantus-mdb";
/** The one place that names it. */
const VERSION = "0.5.3-beta.193";
const PROGRAM = "secantusd-rs";

const standInFolder = (env: Environment): string => `${servicesFolder(env)}/${CRATE}-${VERSION}`;

/** Where the stand-in lies once it is built. */
export const standInPath = (env: Environment): string => `${standInFolder(env)}/bin/${PROGRAM}`;

/**
 * Builds the stand-in into the cache: below a temporary root that is renamed into place, so an
 * interrupted build is never taken for a finished one. Throws when there are no tools for it, and
 * when cargo fails.
 */
export async function buildStandIn(env: Environment, { say, signal }: Bringing): Promise<void> {
  const folder = standInFolder(env);
  const cargo = await findTools(env);
  await Deno.mkdir(servicesFolder(env), { recursive: true });
  const work = await Deno.makeTempDir({ dir: servicesFolder(env), prefix: ".building-" });
  const root = `${work}/root`;
  const target = `${work}/target`;
  try {
    say(`Building ${CRATE} ${VERSION} into ${folder}: this takes some minutes, once`);
    const install = (lock: readonly string[]) =>
      run(cargo, ["install", CRATE, "--version", VERSION, ...lock, ...OPTIONS, root], {
        env: { CARGO_TARGET_DIR: target },
        say,
        ...(signal && { signal }),
      });
    let end = await install(["--locked"]);
    if (!end.success && REFUSED_LOCK.test(end.tail) && !signal?.aborted) {
      say("The lock file was refused: building with the newest versions that fit");
      end = await install([]);
    }
    if (signal?.aborted) throw new Error("The build was stopped");
    if (!end.success) throw new Error(`${cargo} could not build ${CRATE} ${VERSION}`);
    if (!await isFile(`${root}/bin/${PROGRAM}`)) {
      throw new Error(`${CRATE} ${VERSION} brought no program "${PROGRAM}"`);
    }
    await moveIntoPlace(root, folder, env);
  } finally {
    // Of a build that was stopped a compiler may still be writing.
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
}

const OPTIONS = ["--ignore-rust-version", "--root"];
/** What cargo says of a lock file that it cannot use as it is. */
const REFUSED_LOCK = /\block ?file\b|--locked\b/i;

/** Cargo's path. Throws with all that is missing. */
async function findTools(env: Environment): Promise<string> {
  const ofCargo = env.CARGO_HOME ?? `${env.HOME}/.cargo`;
  const cargo = await findProgram("cargo", env, [`${ofCargo}/bin`]);
  const missing = cargo === null ? ["cargo (https://rustup.rs)"] : [];
  for (const [tool, bringing] of [["cc", "build-essential"], ["cmake", "cmake"]] as const) {
    if (await findProgram(tool, env) === null) {
      missing.push(`${tool} (apt-get install -y ${bringing})`);
    }
  }
  if (cargo !== null && missing.length === 0) return cargo;
  throw new Error(
    `Cannot build ${CRATE} ${VERSION}. Install what is missing and run \`deno task services\` again: ` +
      `${missing.join(", ")}. A \`mongod\` on the PATH or MONGODB_TEST_URL serves as well.`,
  );
}

/** Of two builds at once the first stays. */
async function moveIntoPlace(root: string, folder: string, env: Environment): Promise<void> {
  try {
    await Deno.rename(root, folder);
  } catch (error) {
    if (!await isFile(standInPath(env))) throw error;
  }
}
