/** Limits of accounts, users, projects and plans, files, mail, AI and webhooks. */

import {
  accountRule,
  commonRule,
  decided,
  eventRule,
  fileRule,
  mailRule,
  MiB,
  ownerDecision,
  ownerRule,
  planRule,
  socialRule,
  specified,
  tokenRule,
  userRule,
} from "./limit_list.ts";

export const ACCESS_TOKEN_MINUTES = tokenRule(15, "minutes");
export const ACCESS_TOKEN_SECONDS = ACCESS_TOKEN_MINUTES * 60;
export const SESSION_DAYS = tokenRule(30, "days of a session without a refresh");
export const SESSION_MS = SESSION_DAYS * 86_400_000;
export const SESSION_DAYS_MAX = tokenRule(180, "days of a session with refreshes");
export const SESSION_MS_MAX = SESSION_DAYS_MAX * 86_400_000;
export const REFRESH_GRACE_SECONDS = tokenRule(
  10,
  "seconds in which a refresh token may be reused",
);
export const REFRESH_GRACE_MS = REFRESH_GRACE_SECONDS * 1000;
export const REFRESH_REPLAYS_MAX = tokenRule(50, "uses of a refresh token in its grace time");
export const EXCHANGE_CODE_SECONDS = specified(60, "seconds, single use");
export const EXCHANGE_CODE_MS = EXCHANGE_CODE_SECONDS * 1000;
export const PERSON_NAME_LENGTH_MAX = decided(200, "characters of a user's `name`");
export const USERNAME_LENGTH_MIN = userRule(3, "characters of a user's `username`");
export const USERNAME_LENGTH_MAX = userRule(50, "characters of a user's `username`");
export const USER_ROLES_MAX = userRule(20, "roles of a user");
export const USER_ROLE_LENGTH_MAX = decided(50, "characters of a role");
export const USER_CLAIMS_BYTES_MAX = userRule(1024, "bytes of a user's claims");
export const USER_FIELDS_BYTES_MAX = decided(65_536, "bytes of a user's declared fields");
export const CODE_MINUTES = userRule(10, "minutes in which a code can be used once");
export const CODE_MS = CODE_MINUTES * 60_000;
export const CODE_TRIES_MAX = userRule(5, "wrong tries after which a code is invalid");
export const CODE_PAUSE_SECONDS = userRule(
  60,
  "seconds between two codes for an address and purpose",
);
export const CODE_PAUSE_MS = CODE_PAUSE_SECONDS * 1000;
export const CODES_PER_HOUR = userRule(5, "codes an hour for an address and purpose");
export const WRONG_CODES_PER_HOUR = decided(
  1000,
  "wrong codes within an hour, of all users of a project or of all accounts",
);
export const AVATAR_URL_LENGTH_MAX = decided(2048, "characters of a user's `avatarUrl`");
export const EMAIL_SEARCH_LENGTH_MAX = decided(64, "characters of `search` in a list of users");
export const DEVICE_NAME_LENGTH_MAX = decided(200, "characters of a User-Agent that are stored");
export const SIGN_IN_MINUTES = tokenRule(10, "minutes between start and callback of a sign-in");
export const SIGN_IN_MS = SIGN_IN_MINUTES * 60_000;
export const PROVIDER_TIMEOUT_SECONDS = socialRule(10, "seconds for a request to a provider");
export const PROVIDER_TIMEOUT_MS = PROVIDER_TIMEOUT_SECONDS * 1000;
export const PROVIDER_ANSWER_BYTES_MAX = decided(1 * MiB, "bytes of a provider's answer");
export const STATE_LENGTH_MAX = tokenRule(256, "characters of an application's `state`");
export const RETURN_TO_LENGTH_MAX = decided(2048, "characters of `return_to`");
export const FREE_STORAGE_BYTES = specified(20 * MiB, "bytes of all files of a project, free plan");
export const FREE_FILE_BYTES_MAX = specified(10 * MiB, "bytes of a file, free plan");
export const PRO_STORAGE_BYTES = decided(10_240 * MiB, "bytes of all files of a project, pro plan");
export const PRO_FILE_BYTES_MAX = decided(100 * MiB, "bytes of a file, pro plan");
export const FREE_DOCUMENT_BYTES = planRule(
  50 * MiB,
  "bytes of a project's documents, users, mails and messages, free plan",
);
export const PRO_DOCUMENT_BYTES = planRule(
  5120 * MiB,
  "bytes of a project's documents, users, mails and messages, pro plan",
);
export const FREE_PROJECTS_MAX = decided(3, "projects of an account, free plan");
export const PRO_PROJECTS_MAX = decided(50, "projects of an account, pro plan");
export const PROJECTS_PER_HOUR = decided(10, "projects that an account creates within an hour");
export const REQUEST_MINUTES = ownerDecision(60, "minutes of a project's request counts");
export const REQUEST_DAYS = ownerDecision(30, "days of a project's request counts");
export const REQUEST_LOG_DAYS = decided(7, "days for which failed requests are listed");
export const REQUEST_LOG_MS = REQUEST_LOG_DAYS * 86_400_000;
export const REQUEST_LOG_MAX = decided(10_000, "newest requests of a project that are listed");
export const REQUEST_LOG_PER_SECOND_MAX = decided(
  100,
  "requests of a project per second that a process lists; more are only counted",
);
export const REQUEST_RECORDING_MINUTES_MAX = decided(
  60,
  "minutes for which all requests of a project are listed after this was enabled",
);
export const QUESTION_DAYS = decided(7, "days for which a project's slow questions are listed");
export const QUESTION_SHAPES_MAX = decided(
  50,
  "slowest questions of a project that are stored per day",
);
export const SLOW_QUESTION_MEAN_MS = decided(10, "ms of mean time from which a question is slow");
export const SLOW_QUESTION_MS = decided(100, "ms of a single run from which a question is slow");
export const JOBS_SHOWN_MAX = decided(100, "jobs of a project that are shown");
export const PROJECT_TRASH_DAYS = ownerDecision(
  7,
  "days in which a deleted project can be restored",
);
export const PROJECT_TRASH_MS = PROJECT_TRASH_DAYS * 86_400_000;
export const PROJECT_NAME_LENGTH_MAX = decided(100, "characters of a project's name");
export const ALLOWED_ORIGINS_MAX = decided(20, "allowed origins of a project");
export const INVITATION_DAYS = ownerRule(7, "days in which an invitation can be accepted");
export const INVITATION_MS = INVITATION_DAYS * 86_400_000;
export const PENDING_INVITATIONS_MAX = decided(50, "open invitations of a project");
export const ACCOUNT_TOKENS_MAX = decided(50, "personal access tokens of an account");
export const ACCOUNT_TOKEN_PROJECTS_MAX = decided(100, "projects of a personal access token");
export const ACCOUNT_TOKEN_NAME_LENGTH_MAX = decided(100, "characters of an account token's name");
export const ACCOUNT_TOKEN_DAYS_DEFAULT = decided(90, "days of a personal access token by default");
export const ACCOUNT_TOKEN_DAYS_MAX = decided(366, "days of a personal access token");
export const FREE_COLLECTIONS_MAX = decided(20, "collections of a project, free plan");
export const PRO_COLLECTIONS_MAX = decided(200, "collections of a project, pro plan");
export const FREE_AI_QUERIES = specified(5, "query builder requests a month, free plan");
export const PRO_AI_QUERIES = specified(20, "query builder requests a month, pro plan");
export const FREE_AI_TURNS = decided(20, "turns with the collection creator a month, free plan");
export const PRO_AI_TURNS = decided(100, "turns with the collection creator a month, pro plan");
export const AI_REQUESTS_PER_MINUTE = decided(10, "AI requests of an account with any key");
export const FREE_AI_DESIGNS = specified(1, "collection designs a month, free plan");
export const PRO_AI_DESIGNS = specified(5, "collection designs a month, pro plan");
export const FREE_FILES_MAX = decided(100_000, "files and open uploads of a project, free plan");
export const PRO_FILES_MAX = decided(10_000_000, "files and open uploads of a project, pro plan");
export const FREE_OPEN_UPLOADS_MAX = decided(1_000, "unconfirmed uploads of a project, free plan");
export const PRO_OPEN_UPLOADS_MAX = decided(10_000, "unconfirmed uploads of a project, pro plan");
export const SIGNED_SECONDS_DEFAULT = fileRule(
  3_600,
  "seconds for which a private file's address is valid, by default",
);
export const SIGNED_SECONDS_MAX = fileRule(
  604_800,
  "seconds for which a file's address can be valid",
);
export const USER_FILE_BYTES_DEFAULT = decided(10 * MiB, "bytes of a user's file by default");
export const USER_BYTES_DEFAULT = decided(100 * MiB, "bytes of a user's files by default");
export const USER_FILES_MAX = decided(1_000, "files and open uploads of one user");
export const USER_OPEN_UPLOADS_MAX = decided(20, "unconfirmed uploads of one user");
export const USER_TYPES_MAX = decided(50, "types of files that users may upload");
export const EXTERNAL_FILE_BYTES_MAX = decided(
  80_000 * MiB,
  "bytes of a file in a project's own bucket: 10,000 parts of 8 MiB",
);
export const EXTERNAL_PUT_BYTES_MAX = fileRule(
  5120 * MiB,
  "bytes of a file that one PUT sends to a project's own bucket",
);
export const FILENAME_LENGTH_MAX = fileRule(255, "characters of a `filename`");
export const STORED_FILENAME_LENGTH_MAX = fileRule(
  100,
  "characters of a `filename` in a file's path",
);
export const CONTENT_TYPE_LENGTH_MAX = fileRule(100, "characters of a `contentType`");
export const UPLOAD_URL_MINUTES = fileRule(10, "minutes in which a PUT to a signed URL begins");
export const UPLOAD_URL_MS = UPLOAD_URL_MINUTES * 60_000;
export const UPLOAD_HOLD_MINUTES = fileRule(20, "minutes between request and confirm of an upload");
export const UPLOAD_HOLD_MS = UPLOAD_HOLD_MINUTES * 60_000;
export const UPLOAD_STALL_SECONDS = decided(30, "seconds in which an upload must send more bytes");
export const UPLOAD_STALL_MS = UPLOAD_STALL_SECONDS * 1000;
export const RESUMABLE_HOLD_HOURS = decided(
  24,
  "hours from the last bytes of a resumable upload to its end",
);
export const RESUMABLE_HOLD_MS = RESUMABLE_HOLD_HOURS * 3_600_000;
export const UPLOADS_AT_ONCE_MAX = decided(4, "concurrent uploads to one signed URL in a process");
export const RANGES_MAX = decided(50, "ranges of one request for a file");
export const CONFIRM_CLAIM_SECONDS = fileRule(
  60,
  "seconds after which the claim of an unfinished confirmation expires",
);
export const CONFIRM_CLAIM_MS = CONFIRM_CLAIM_SECONDS * 1000;
export const ACCOUNT_SESSION_DAYS = ownerRule(7, "days of a dashboard session without use");
export const ACCOUNT_SESSION_MS = ACCOUNT_SESSION_DAYS * 86_400_000;
export const AI_KEY_LENGTH_MAX = specified(200, "characters of an AI key");
export const AI_TURNS_MAX = specified(
  20,
  "turns of a chat with the collection creator, platform key",
);
export const AI_CHAT_MINUTES = ownerRule(120, "minutes from the last message of a chat to its end");
export const AI_CHAT_MS = AI_CHAT_MINUTES * 60_000;
export const AI_CHAT_MESSAGES_MAX = ownerRule(50, "messages of a chat; the oldest are dropped");
export const AI_CHAT_MESSAGE_LENGTH_MAX = ownerRule(2000, "characters of a `userMessage`");
export const AI_PROMPT_LENGTH_MAX = ownerRule(1000, "characters of a query builder's `prompt`");
export const AI_PREVIEW_ROWS = ownerRule(5, "rows of a preview");
export const AI_TIMEOUT_SECONDS = ownerRule(30, "seconds for a request to an AI provider");
export const AI_TIMEOUT_MS = AI_TIMEOUT_SECONDS * 1000;
export const AI_ANSWER_TOKENS_MAX = decided(8192, "tokens of an AI answer");
export const AI_ANSWER_BYTES_MAX = decided(1 * MiB, "bytes of an answer of an AI provider");
export const AI_PROPOSED_COLLECTIONS_MAX = decided(20, "collections of one proposal");
export const FREE_MAILS = mailRule(50, "monthly mails of a project by the platform, free plan");
export const PRO_MAILS = mailRule(1000, "monthly mails of a project by the platform, pro plan");
export const FREE_SIGN_IN_MAILS_PER_DAY = decided(
  200,
  "mails of sign-in and invitations of a project a day by the platform's server, free plan",
);
export const PRO_SIGN_IN_MAILS_PER_DAY = decided(
  5000,
  "mails of sign-in and invitations of a project a day by the platform's server, pro plan",
);
export const MAILBOX_MAILS_PER_DAY = decided(
  20,
  "mails of sign-in and invitations of a project, or to accounts, a day to one address",
);
export const MAILBOX_MAILS_PER_DAY_IN_ALL = decided(
  100,
  "mails of sign-in and invitations of all projects a day to one address",
);
export const MAIL_RECIPIENTS_MAX = mailRule(50, "addresses of one `to`");
export const MAIL_SUBJECT_LENGTH_MAX = mailRule(200, "characters of a mail's subject");
export const MAIL_BODY_LENGTH_MAX = decided(
  65_536,
  "characters of a mail's text or HTML, before and after variables are filled in",
);
export const MAIL_BODY_BYTES_MAX = decided(0.5 * MiB, "bytes of a body with a mail or a template");
export const MAIL_VARIABLES_MAX = decided(50, "variables of a mail");
export const MAIL_VARIABLE_LENGTH_MAX = decided(10_000, "characters of a variable of a mail");
export const MAIL_TEMPLATES_MAX = decided(100, "mail templates of a project");
export const MAIL_TIMEOUT_SECONDS = decided(30, "seconds for a mail server to accept a mail");
export const MAIL_TIMEOUT_MS = MAIL_TIMEOUT_SECONDS * 1000;
export const MAIL_LOG_DAYS = decided(30, "days for which mails are stored in the log");
export const MAIL_LOG_MS = MAIL_LOG_DAYS * 86_400_000;
export const MAIL_TEXT_HOURS = decided(
  24,
  "hours for which the common text of a request's mails is stored, unless one is queued or failed",
);
export const MAIL_TEXT_MS = MAIL_TEXT_HOURS * 3_600_000;
export const MAILS_WAITING_MAX = decided(1000, "queued mails of a project");
export const FREE_WEBHOOKS = eventRule(3, "webhooks of a project, free plan");
export const PRO_WEBHOOKS = eventRule(50, "webhooks of a project, pro plan");
export const WEBHOOK_EVENTS_MAX = decided(100, "collections that a webhook names in `events`");
export const WEBHOOK_TIMEOUT_SECONDS = eventRule(10, "seconds for a webhook to answer");
export const WEBHOOK_TIMEOUT_MS = WEBHOOK_TIMEOUT_SECONDS * 1000;
export const WEBHOOK_ANSWER_BYTES = eventRule(1024, "stored bytes of a webhook's answer");
export const WEBHOOK_BODY_BYTES_MAX = decided(
  1.5 * MiB,
  "bytes of a message to a webhook; longer messages have no `previous`",
);
export const WEBHOOK_MESSAGES_BYTES_MAX = decided(
  64 * MiB,
  "bytes of messages of a project that wait, and no more than a quarter of what its plan " +
    "gives documents",
);
export const WEBHOOK_BODY_HOURS = decided(24, "hours for which a delivered body is stored");
export const WEBHOOK_BODY_MS = WEBHOOK_BODY_HOURS * 3_600_000;
export const WEBHOOK_LOG_DAYS = eventRule(7, "days for which messages to webhooks are listed");
export const WEBHOOK_LOG_MS = WEBHOOK_LOG_DAYS * 86_400_000;
export const WEBHOOK_OVERLAP_HOURS = eventRule(
  24,
  "hours for which messages are also signed with a webhook's previous secret",
);
export const WEBHOOK_OVERLAP_MS = WEBHOOK_OVERLAP_HOURS * 3_600_000;
export const WEBHOOK_REPLAY_MAX = decided(1000, "messages that one request replays");
export const DASHBOARD_SIGN_IN_RATE_PER_MINUTE = commonRule(20, "dashboard sign-ins per address");
export const KEY_GRACE_HOURS_MAX = commonRule(72, "hours in which a rotated API key is valid");
export const PASSWORD_LENGTH_MIN = accountRule(8, "characters of a password");
export const PASSWORD_LENGTH_MAX = accountRule(200, "characters of a password");
export const PASSWORD_TRIES_MAX = decided(5, "wrong passwords from one place without a wait");
export const PASSWORD_QUEUE_PER_ADDRESS_MAX = decided(
  10,
  "queued requests of a network for hashing a password in a process",
);
export const PASSWORD_QUEUE_MAX = decided(100, "queued requests for hashing in a process");
export const PASSWORD_WAIT_SECONDS = decided(60, "seconds of the first wait, doubled each time");
export const PASSWORD_WAIT_MS = PASSWORD_WAIT_SECONDS * 1000;
export const PASSWORD_WAIT_MINUTES_MAX = decided(15, "minutes of a wait after wrong passwords");
export const PASSWORD_WAIT_MS_MAX = PASSWORD_WAIT_MINUTES_MAX * 60_000;
export const PASSWORD_TRIES_MINUTES = decided(60, "minutes until wrong passwords are forgotten");
export const PASSWORD_TRIES_MEMORY_MS = PASSWORD_TRIES_MINUTES * 60_000;
export const SIGN_IN_FAILURES_MAX = decided(50, "wrong passwords in total before new places wait");
export const KNOWN_DEVICE_DAYS = decided(365, "days for which a signed-in browser is known");
export const KNOWN_DEVICE_SECONDS = KNOWN_DEVICE_DAYS * 86_400;
