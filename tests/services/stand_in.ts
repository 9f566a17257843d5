/** Builds SecantusDB by cargo: a stand-in for a MongoDB replica set of one member. */

import { type Environment, findProgram, isFile, servicesFolder } from "./programs.ts";
import { type InstallOptions, run } from "./run_program.ts";

const CRATE = "secantus-mdb";
/** Version of the stand-in, which is named only here. */
const VERSION = "0.5.3-beta.193";
const PROGRAM = "secantusd-rs";

const standInFolder = (env: Environment): string => `${servicesFolder(env)}/${CRATE}-${VERSION}`;

/** Returns the path of the built stand-in. */
export const standInPath = (env: Environment): string => `${standInFolder(env)}/bin/${PROGRAM}`;

/**
 * Builds the stand-in into the cache. A temporary folder is renamed at the end, which keeps an
 * interrupted build from leaving an incomplete cache. Throws if tools are missing or cargo fails.
 */
export async function buildStandIn(
  env: Environment,
  { say, signal }: InstallOptions,
): Promise<void> {
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
    if (signal?.aborted) throw new Error("Building was stopped");
    if (!end.success) throw new Error(`${cargo} failed to build ${CRATE} ${VERSION}`);
    if (!await isFile(`${root}/bin/${PROGRAM}`)) {
      throw new Error(`${CRATE} ${VERSION} contains no program "${PROGRAM}"`);
    }
    await moveIntoPlace(root, folder, env);
  } finally {
    // A compiler of a stopped build may still be writing.
    await Deno.remove(work, { recursive: true }).catch(() => {});
  }
}

const OPTIONS = ["--ignore-rust-version", "--root"];
/** Matches cargo's error for a lock file that it cannot use unchanged. */
const REFUSED_LOCK = /\block ?file\b|--locked\b/i;

/** Returns the path of cargo. Throws with the names of all missing tools. */
async function findTools(env: Environment): Promise<string> {
  const ofCargo = env.CARGO_HOME ?? `${env.HOME}/.cargo`;
  const cargo = await findProgram("cargo", env, [`${ofCargo}/bin`]);
  const missing = cargo === null ? ["cargo (https://rustup.rs)"] : [];
  for (const [tool, aptPackage] of [["cc", "build-essential"], ["cmake", "cmake"]] as const) {
    if (await findProgram(tool, env) === null) {
      missing.push(`${tool} (apt-get install -y ${aptPackage})`);
    }
  }
  if (cargo !== null && missing.length === 0) return cargo;
  throw new Error(
    `Cannot build ${CRATE} ${VERSION}. Install what is missing and run \`deno task services\` again: ` +
      `${missing.join(", ")}. A \`mongod\` on the PATH or MONGODB_TEST_URL serves as well.`,
  );
}

/** Renames the folder. If another build was first, its folder stays. */
async function moveIntoPlace(root: string, folder: string, env: Environment): Promise<void> {
  try {
    await Deno.rename(root, folder);
  } catch (error) {
    if (!await isFile(standInPath(env))) throw error;
  }
}
