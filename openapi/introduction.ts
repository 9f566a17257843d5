/** How the reference begins, as a page and as a document. */
export const INTRODUCTION =
  `Corbel is a project-scoped backend: an application calls it with its project's API key.

Every answer is an envelope: \`{ success, data, message }\`, the members of the upload
request and its confirm stand beside \`success\` too. A refusal has \`success: false\`, an
empty \`data\`, a \`message\` that says what to do, and a stable \`code\`; below \`/api/storage/\` it
repeats the message as \`error\`. Every answer carries \`x-request-id\`; say it when you ask for help.`;

export interface Guide {
  /** Of its file in docs/, without the ending. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

const guide = (name: string, title: string, about: string): Guide => ({ name, title, about });

/** The pages of docs/ that are served, by what a reader is about to do. */
export const GUIDES: Readonly<Record<string, readonly Guide[]>> = {
  "Build an application": [
    guide("quickstart", "Quick start", "An application in ten minutes, in one HTML file."),
    guide("documents", "Documents", "Store, query, search and count, and decide who may do what."),
    guide("live", "Live lists", "Show each change of a list as it happens."),
    guide("auth", "Sign-in", "Sign users up and in, by e-mail, GitHub or Google."),
    guide("files", "Files", "Let users upload files, and show them."),
    guide("webhooks", "Webhooks", "Tell other servers what changes."),
    guide("mail", "Mail", "Send mail, in your own words."),
    guide("ai", "AI helpers", "Turn a sentence into a query, and a chat into a design."),
    guide("client", "The client", "Call Corbel from a page or a server."),
    guide("command-line", "The command line", "Do from a shell or in CI what the dashboard does."),
    guide("types", "Types", "Generate types and clients of your project."),
    guide("clients", "Existing clients", "Use a client that your application has already."),
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
      "Settings, the administration, and what a deployment needs.",
    ),
    guide("storage", "Where files are kept", "A folder, a bucket, or a project's own."),
    guide("mongodb", "Corbel on MongoDB", "Rights, indexes, and a look into it."),
    guide("configuration", "Configuration as code", "Keep what you set beside your code."),
    guide("moving", "Moving a project", "To another server, or to another engine."),
    guide(
      "moving_from",
      "Moving in from PocketBase and Firestore",
      "Bring a project in from another backend.",
    ),
    guide("scaling", "Scaling", "Several machines, or a million rows."),
    guide("performance", "Performance", "How fast it is, and how that was seen."),
    guide("extending", "Extending", "Put it into a server of your own."),
  ],
  "Look up": [
    guide("limits", "Limits", "Every number that one can run into."),
    guide("decisions", "Decisions", "Why it behaves as it does."),
  ],
};

/** Every guide that is served. */
export const guides = (): readonly Guide[] => Object.values(GUIDES).flat();

/** The same with links to the guides and the errors. @param base What paths of this server begin with. */
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

/** Fits nothing that opens anything; as long as one that does. */
export const EXAMPLE_KEYS = {
  publishable: "pk_live_ExampleOnly-PasteYourProjectsPublishableKey",
  secret: "sk_live_ExampleOnly-PasteInYourProjectsOwnSecretKey",
};
