import { importLate } from "@/lib/import_late.ts";
import { exportProject } from "@/lib/operations/archive/export_project.ts";
import { importProject } from "@/lib/operations/archive/import_project.ts";
import type { End } from "@/lib/operations/archive/format.ts";
import type { Progress } from "@/lib/operations/archive/progress.ts";
import { Problem } from "@/lib/problems.ts";
import type { Services } from "@/lib/services.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { fileSchemas, ownerId, projectId } from "./inputs.ts";
import { writeNewFile } from "./outputs.ts";
import { secretLine } from "./secret_line.ts";

const STANDARD_STREAM = "-";

export const ARCHIVE_COMMANDS: readonly (readonly [string, Command])[] = [
  ["project export", {
    summary: "Write a project into an archive file",
    usage: "--project ID --to FILE|- [--with-secrets]",
    options: { values: ["project", "to"], flags: ["with-secrets"] },
    usesStandardOutput: (args) => args.optional("to") === STANDARD_STREAM,
    run: exportTo,
  }],
  ["project import", {
    summary: "Create a project from an archive, PocketBase or Firestore",
    usage:
      "--from FILE|pocketbase:FOLDER|firestore:FILE [--storage FOLDER] [--name NAME] [--owner EMAIL] [--copy] [--continue] [--with-secrets]",
    options: {
      values: ["from", "storage", "name", "owner"],
      flags: ["copy", "continue", "with-secrets"],
    },
    canInitialize: () => true,
    run: importFrom,
  }],
];

async function exportTo(services: Services, args: Arguments) {
  const to = args.required("to");
  using progress = terminalProgress();
  const { archive, end } = await exportProject(services, {
    projectId: await projectId(services, args),
    passphrase: await passphrase(args),
    progress,
  });
  if (to === STANDARD_STREAM) await archive.pipeTo(Deno.stdout.writable, { preventClose: true });
  else await writeNewFile(args.resolvePath(to), (file) => archive.pipeTo(file));
  return { to, ...exportSummary(await end) };
}

const exportSummary = ({ read, users, collections, files, missingFiles }: End) => ({
  read,
  users: users.count,
  collections: Object.fromEntries(
    Object.entries(collections).map(([name, { count }]) => [name, count]),
  ),
  files: files.count,
  bytes: files.bytes,
  missingFiles,
});

async function importFrom(services: Services, args: Arguments) {
  // Loaded on demand, because no other command needs it.
  const { archiveFrom } = await importLate<typeof import("./foreign_archives.ts")>(
    import.meta.resolve("./foreign_archives.ts"),
  );
  const { configurationOf } = await fileSchemas();
  const owner = await ownerId(services, args);
  const opening = await passphrase(args);
  using progress = terminalProgress();
  await using archive = await archiveFrom(args, { config: services.config, progress });
  const report = await importProject(services, archive.open, {
    readConfiguration: configurationOf,
    name: args.optional("name"),
    ownerId: owner,
    isCopy: args.flag("copy"),
    skipInvalid: args.flag("continue"),
    passphrase: opening,
    progress,
  });
  return { ...report, notes: archive.notes };
}

/** Reads the passphrase from standard input, because all users of a machine see arguments. */
async function passphrase(args: Arguments): Promise<string | null> {
  if (!args.flag("with-secrets")) return null;
  const line = await secretLine("Passphrase of the archive: ");
  if (line !== "") return line;
  throw new Problem("INVALID_INPUT", {
    message: "--with-secrets needs the archive's passphrase, as a line on standard input.",
  });
}

const REDRAW_MS = 200;

/** Reports progress on one line of standard error, if that is a terminal. */
function terminalProgress(): Progress & Disposable {
  const isShown = Deno.stderr.isTerminal();
  const counts = new Map<string, number>();
  const began = performance.now();
  let drawnAt = 0;
  const draw = (what: string) => {
    drawnAt = performance.now();
    const seconds = Math.round((drawnAt - began) / 1000);
    writeToTerminal(`\r\x1b[K${what}: ${counts.get(what)!.toLocaleString("en")}, ${seconds} s`);
  };
  return {
    forPart(what) {
      return (count) => {
        counts.set(what, (counts.get(what) ?? 0) + count);
        if (isShown && performance.now() - drawnAt > REDRAW_MS) draw(what);
      };
    },
    [Symbol.dispose]() {
      if (isShown && drawnAt > 0) writeToTerminal("\r\x1b[K");
    },
  };
}

const writeToTerminal = (text: string) =>
  void Deno.stderr.writeSync(new TextEncoder().encode(text));
