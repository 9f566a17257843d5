export const INTRODUCTION =
  `Corbel is a project-scoped backend: an application calls it with its project's API key.

Every answer is an envelope: \`{ success, data, message }\`. Answers to an upload request and its
confirm repeat the members of \`data\` at the top level. A refusal has \`success: false\`, an
empty \`data\`, a \`message\` that says what to do, and a stable \`code\`; below \`/api/storage/\` it
repeats the message as \`error\`. Every answer carries \`x-request-id\`; quote it when you ask for help.`;

export interface Guide {
  /** Name of the guide's file in docs/, without the extension. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

const guide = (name: string, title: string, about: string): Guide => ({ name, title, about });

export const GUIDES: Readonly<Record<string, readonly Guide[]>> = {
  "Build an application": [
    guide("quickstart", "Quick start", "An application in ten minutes, in one HTML file."),
    guide(
      "documents",
      "Documents",
      "Store, query, search and count documents, and control access.",
    ),
    guide("live", "Live lists", "Show changes of a list as they happen."),
    guide("auth", "Sign-in", "Sign users up and in, by e-mail, GitHub or Google."),
    guide("files", "Files", "Let users upload files, and show them."),
    guide("webhooks", "Webhooks", "Notify other servers of changes."),
    guide("mail", "Mail", "Send mail with your own templates."),
    guide("ai", "AI helpers", "Turn a sentence into a query, and a chat into a design."),
    guide("client", "The client", "Call Corbel from a page or a server."),
    guide(
      "command-line",
      "The command line",
      "Use the dashboard's functions from a shell or in CI.",
    ),
    guide("types", "Types", "Generate types and clients of your project."),
    guide("clients", "Existing clients", "Use a client that your application already has."),
    guide(
      "dashboard",
      "The dashboard",
      "Set everything up without code, alone or with colleagues.",
    ),
  ],
  "Run a server": [
    guide(
      "self-hosting",
      "Self-hosting",
      "Settings, administration and deployment.",
    ),
    guide("storage", "Where files are kept", "A folder, a bucket, or a project's own bucket."),
    guide("mongodb", "Corbel on MongoDB", "Rights, indexes, and how to inspect the database."),
    guide(
      "configuration",
      "Configuration as code",
      "Keep a project's configuration next to your code.",
    ),
    guide("moving", "Moving a project", "To another server, or to another engine."),
    guide(
      "moving_from",
      "Moving in from PocketBase and Firestore",
      "Bring a project in from another backend.",
    ),
    guide("scaling", "Scaling", "Several machines, or a million rows."),
    guide("performance", "Performance", "How fast it is, and how that was measured."),
    guide("extending", "Extending", "Embed Corbel in your own server."),
  ],
  "Look up": [
    guide("limits", "Limits", "Every limit, with its value."),
    guide("decisions", "Decisions", "Reasons for Corbel's behaviour."),
  ],
};

export const guides = (): readonly Guide[] => Object.values(GUIDES).flat();

/** Returns the introduction with links. @param base Prefix of this server's paths. */
export const introductionWithLinks = (base: string): string =>
  [
    INTRODUCTION,
    `[Errors](${base}/docs/errors) lists every \`code\`, its cause, and what to do.`,
    ...Object.entries(GUIDES).map(([group, ones]) =>
      `**${group}:** ${
        ones.map(({ name, title }) => `[${title}](${base}/docs/guides/${name})`).join(" · ")
      }`
    ),
  ].join("\n\n");

/** Placeholder keys for examples, with the length of real keys. They belong to no project. */
export const EXAMPLE_KEYS = {
  publishable: "pk_live_ExampleOnly-PasteYourProjectsPublishableKey",
  secret: "sk_live_ExampleOnly-PasteInYourProjectsOwnSecretKey",
};
