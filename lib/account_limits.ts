/** Limits of accounts, users, projects and plans, files, mail, AI and webhooks. */

import {
  accounts,
  events,
  everywhere,
  files,
  invited,
  lists,
  mail,
  MiB,
  ours,
  owners,
  plans,
  social,
  tokens,
  users,
} from "./limit_list.ts";

export const ACCESS_TOKEN_MINUTES = tokens(15, "minutes");
export const ACCESS_TOKEN_SECONDS = ACCESS_TOKEN_MINUTES * 60;
export const SESSION_DAYS = tokens(30, "days of a session without a refresh");
export const SESSION_MS = SESSION_DAYS * 86_400_000;
export const SESSION_DAYS_MAX = tokens(180, "days of a session, however often it is refreshed");
export const SESSION_MS_MAX = SESSION_DAYS_MAX * 86_400_000;
export const REFRESH_GRACE_SECONDS = tokens(
  10,
  "seconds in which a used refresh token may come again",
);
export const REFRESH_GRACE_MS = REFRESH_GRACE_SECONDS * 1000;
export const REFRESH_REPLAYS_MAX = tokens(50, "times it may come again within them");
export const EXCHANGE_CODE_SECONDS = lists(60, "seconds, single use");
export const EXCHANGE_CODE_MS = EXCHANGE_CODE_SECONDS * 1000;
export const PERSON_NAME_LENGTH_MAX = ours(200, "characters of a user's `name`");
export const USERNAME_LENGTH_MIN = users(3, "characters of a user's `username`");
export const USERNAME_LENGTH_MAX = users(50, "characters of a user's `username`");
export const USER_ROLES_MAX = users(20, "roles of a user");
export const USER_ROLE_LENGTH_MAX = ours(50, "characters of a role");
export const USER_CLAIMS_BYTES_MAX = users(1024, "bytes of a user's claims");
export const USER_FIELDS_BYTES_MAX = ours(65_536, "bytes of a user's declared fields");
export const CODE_MINUTES = users(10, "minutes in which a code is good, once");
export const CODE_MS = CODE_MINUTES * 60_000;
export const CODE_TRIES_MAX = users(5, "wrong tries after which a code is dead");
export const CODE_PAUSE_SECONDS = users(60, "seconds between two codes for an address and purpose");
export const CODE_PAUSE_MS = CODE_PAUSE_SECONDS * 1000;
export const CODES_PER_HOUR = users(5, "codes an hour for an address and purpose");
export const WRONG_CODES_PER_HOUR = ours(
  1000,
  "wrong codes within an hour, of all users of a project, or of all accounts of the server",
);
export const AVATAR_URL_LENGTH_MAX = ours(2048, "characters of a user's `avatarUrl`");
export const EMAIL_SEARCH_LENGTH_MAX = ours(64, "characters of `search` in a list of users");
export const DEVICE_NAME_LENGTH_MAX = ours(200, "characters kept of a User-Agent");
export const SIGN_IN_MINUTES = tokens(10, "minutes between start and callback of a sign-in");
export const SIGN_IN_MS = SIGN_IN_MINUTES * 60_000;
export const PROVIDER_TIMEOUT_SECONDS = social(
  10,
  "seconds a provider may take in all per request",
);
export const PROVIDER_TIMEOUT_MS = PROVIDER_TIMEOUT_SECONDS * 1000;
export const PROVIDER_ANSWER_BYTES_MAX = ours(1 * MiB, "bytes of a provider's answer");
export const STATE_LENGTH_MAX = tokens(256, "characters of an application's `state`");
export const RETURN_TO_LENGTH_MAX = ours(2048, "characters of `return_to`");
export const FREE_STORAGE_BYTES = lists(20 * MiB, "bytes of all files of a project, free plan");
export const FREE_FILE_BYTES_MAX = lists(10 * MiB, "bytes of a file, free plan");
export const PRO_STORAGE_BYTES = ours(10_240 * MiB, "bytes of all files of a project, pro plan");
export const PRO_FILE_BYTES_MAX = ours(100 * MiB, "bytes of a file, pro plan");
export const FREE_DOCUMENT_BYTES = plans(
  50 * MiB,
  "bytes of all documents of a project, and of its users, mails and messages, free plan",
);
export const PRO_DOCUMENT_BYTES = plans(
  5120 * MiB,
  "bytes of all documents of a project, and of its users, mails and messages, pro plan",
);
export const FREE_PROJECTS_MAX = ours(3, "projects of an account, free plan");
export const PRO_PROJECTS_MAX = ours(50, "projects of an account, pro plan");
export const PROJECTS_PER_HOUR = ours(10, "projects an account creates within an hour");
export const REQUEST_MINUTES = invited(
  60,
  "minutes of which a project's requests are told one by one",
);
export const REQUEST_DAYS = invited(30, "days of which they are told in sum");
export const REQUEST_LOG_DAYS = ours(7, "days for which requests that failed are listed");
export const REQUEST_LOG_MS = REQUEST_LOG_DAYS * 86_400_000;
export const REQUEST_LOG_MAX = ours(10_000, "listed requests of a project: the newest");
export const REQUEST_LOG_PER_SECOND_MAX = ours(
  100,
  "requests of a project that a process lists of a second; more are only counted",
);
export const REQUEST_RECORDING_MINUTES_MAX = ours(
  60,
  "minutes for which all requests of a project are listed, once it is switched on",
);
export const QUESTION_DAYS = ours(7, "days of which a project's slow questions are told");
export const QUESTION_SHAPES_MAX = ours(
  50,
  "slow questions of a project that are kept of a day: those that took the most time",
);
export const SLOW_QUESTION_MEAN_MS = ours(10, "ms of mean time from which a question is slow");
export const SLOW_QUESTION_MS = ours(100, "ms from which it is slow if it took as long once");
export const JOBS_SHOWN_MAX = ours(100, "jobs of a project that are shown");
export const PROJECT_TRASH_DAYS = invited(7, "days a deleted project can be restored");
export const PROJECT_TRASH_MS = PROJECT_TRASH_DAYS * 86_400_000;
export const PROJECT_NAME_LENGTH_MAX = ours(100, "characters of a project's name");
export const ALLOWED_ORIGINS_MAX = ours(20, "allowed origins of a project");
export const INVITATION_DAYS = owners(7, "days in which an invitation can be accepted");
export const INVITATION_MS = INVITATION_DAYS * 86_400_000;
export const PENDING_INVITATIONS_MAX = ours(50, "open invitations of a project");
export const ACCOUNT_TOKENS_MAX = ours(50, "personal access tokens of an account");
export const ACCOUNT_TOKEN_PROJECTS_MAX = ours(100, "projects that a personal access token names");
export const ACCOUNT_TOKEN_NAME_LENGTH_MAX = ours(
  100,
  "characters of a personal access token's name",
);
export const ACCOUNT_TOKEN_DAYS_DEFAULT = ours(
  90,
  "days of a personal access token, where none are asked for",
);
export const ACCOUNT_TOKEN_DAYS_MAX = ours(366, "days of a personal access token");
export const FREE_COLLECTIONS_MAX = ours(20, "collections of a project, free plan");
export const PRO_COLLECTIONS_MAX = ours(200, "collections of a project, pro plan");
export const FREE_AI_QUERIES = lists(5, "query builder requests a month, free plan");
export const PRO_AI_QUERIES = lists(20, "query builder requests a month, pro plan");
export const FREE_AI_TURNS = ours(20, "turns with the collection creator a month, free plan");
export const PRO_AI_TURNS = ours(100, "turns with the collection creator a month, pro plan");
export const AI_REQUESTS_PER_MINUTE = ours(
  10,
  "AI requests of an account, whichever key they go with",
);
export const FREE_AI_DESIGNS = lists(1, "collection designs a month, free plan");
export const PRO_AI_DESIGNS = lists(5, "collection designs a month, pro plan");
export const FREE_FILES_MAX = ours(100_000, "files and open uploads of a project, free plan");
export const PRO_FILES_MAX = ours(10_000_000, "files and open uploads of a project, pro plan");
export const FREE_OPEN_UPLOADS_MAX = ours(
  1_000,
  "uploads of a project not confirmed yet, free plan",
);
export const PRO_OPEN_UPLOADS_MAX = ours(
  10_000,
  "uploads of a project not confirmed yet, pro plan",
);
export const SIGNED_SECONDS_DEFAULT = files(3_600, "seconds a private file's address is good");
export const SIGNED_SECONDS_MAX = files(604_800, "seconds it may be asked for");
export const USER_FILE_BYTES_DEFAULT = ours(10 * MiB, "bytes of a user's file, if nothing is set");
export const USER_BYTES_DEFAULT = ours(100 * MiB, "bytes of a user's files, if nothing is set");
export const USER_FILES_MAX = ours(1_000, "files and open uploads of one user");
export const USER_OPEN_UPLOADS_MAX = ours(20, "uploads of one user not confirmed yet");
export const USER_TYPES_MAX = ours(50, "types of files that users may upload");
export const EXTERNAL_FILE_BYTES_MAX = ours(
  80_000 * MiB,
  "bytes of a file in a project's own bucket: 10,000 parts of 8 MiB",
);
export const EXTERNAL_PUT_BYTES_MAX = files(5120 * MiB, "bytes of it that are sent by one PUT");
export const FILENAME_LENGTH_MAX = files(255, "characters of a `filename`");
export const STORED_FILENAME_LENGTH_MAX = files(100, "characters of it that its path keeps");
export const CONTENT_TYPE_LENGTH_MAX = files(100, "characters of a `contentType`");
export const UPLOAD_URL_MINUTES = files(10, "minutes in which a PUT to a signed URL begins");
export const UPLOAD_URL_MS = UPLOAD_URL_MINUTES * 60_000;
export const UPLOAD_HOLD_MINUTES = files(20, "minutes between request and confirm of an upload");
export const UPLOAD_HOLD_MS = UPLOAD_HOLD_MINUTES * 60_000;
export const UPLOAD_STALL_SECONDS = ours(
  30,
  "seconds an upload may bring nothing; it ends with its hold",
);
export const UPLOAD_STALL_MS = UPLOAD_STALL_SECONDS * 1000;
export const RESUMABLE_HOLD_HOURS = ours(
  24,
  "hours an upload in pieces is kept after its last bytes",
);
export const RESUMABLE_HOLD_MS = RESUMABLE_HOLD_HOURS * 3_600_000;
export const UPLOADS_AT_ONCE_MAX = ours(4, "uploads to one signed URL at once, in a process");
export const RANGES_MAX = ours(50, "ranges of one request for a file");
export const CONFIRM_CLAIM_SECONDS = files(
  60,
  "seconds after which a confirm that died is given up",
);
export const CONFIRM_CLAIM_MS = CONFIRM_CLAIM_SECONDS * 1000;
export const ACCOUNT_SESSION_DAYS = owners(7, "days of a dashboard session without use");
export const ACCOUNT_SESSION_MS = ACCOUNT_SESSION_DAYS * 86_400_000;
export const AI_KEY_LENGTH_MAX = lists(200, "characters of an AI key");
export const AI_TURNS_MAX = lists(20, "turns of a chat with the collection creator, platform key");
export const AI_CHAT_MINUTES = owners(120, "minutes a chat is kept after its last message");
export const AI_CHAT_MS = AI_CHAT_MINUTES * 60_000;
export const AI_CHAT_MESSAGES_MAX = owners(50, "messages of a chat; the oldest are dropped");
export const AI_CHAT_MESSAGE_LENGTH_MAX = owners(2000, "characters of a `userMessage`");
export const AI_PROMPT_LENGTH_MAX = owners(1000, "characters of a query builder's `prompt`");
export const AI_PREVIEW_ROWS = owners(5, "rows of a preview");
export const AI_TIMEOUT_SECONDS = owners(30, "seconds an AI provider may take in all per request");
export const AI_TIMEOUT_MS = AI_TIMEOUT_SECONDS * 1000;
export const AI_ANSWER_TOKENS_MAX = ours(8192, "tokens of an AI answer");
export const AI_ANSWER_BYTES_MAX = ours(1 * MiB, "bytes that an AI provider may send");
export const AI_PROPOSED_COLLECTIONS_MAX = ours(20, "collections of one proposal");
export const FREE_MAILS = mail(
  50,
  "mails of a project a month by the platform's server, free plan",
);
export const PRO_MAILS = mail(
  1000,
  "mails of a project a month by the platform's server, pro plan",
);
export const FREE_SIGN_IN_MAILS_PER_DAY = ours(
  200,
  "mails of sign-in and invitations of a project a day by the platform's server, free plan",
);
export const PRO_SIGN_IN_MAILS_PER_DAY = ours(
  5000,
  "mails of sign-in and invitations of a project a day by the platform's server, pro plan",
);
export const MAILBOX_MAILS_PER_DAY = ours(
  20,
  "of those of one project, or of those to accounts, a day to one address",
);
export const MAILBOX_MAILS_PER_DAY_IN_ALL = ours(
  100,
  "of those of all projects of the server, a day to one address",
);
export const MAIL_RECIPIENTS_MAX = mail(50, "addresses of one `to`");
export const MAIL_SUBJECT_LENGTH_MAX = mail(200, "characters of a mail's subject");
export const MAIL_BODY_LENGTH_MAX = ours(
  65_536,
  "characters of a mail's text or HTML, before and after variables are filled in",
);
export const MAIL_BODY_BYTES_MAX = ours(
  0.5 * MiB,
  "bytes of a body that holds a mail or a template",
);
export const MAIL_VARIABLES_MAX = ours(50, "variables of a mail");
export const MAIL_VARIABLE_LENGTH_MAX = ours(10_000, "characters of one of them");
export const MAIL_TEMPLATES_MAX = ours(100, "mail templates of a project");
export const MAIL_TIMEOUT_SECONDS = ours(30, "seconds that a mail server may take for a mail");
export const MAIL_TIMEOUT_MS = MAIL_TIMEOUT_SECONDS * 1000;
export const MAIL_LOG_DAYS = ours(30, "days mails are kept in the log");
export const MAIL_LOG_MS = MAIL_LOG_DAYS * 86_400_000;
export const MAIL_TEXT_HOURS = ours(
  24,
  "hours that the text is kept that the mails of one request share, unless one waits or has failed",
);
export const MAIL_TEXT_MS = MAIL_TEXT_HOURS * 3_600_000;
export const MAILS_WAITING_MAX = ours(1000, "mails of a project that wait to be sent");
export const FREE_WEBHOOKS = events(3, "webhooks of a project, free plan");
export const PRO_WEBHOOKS = events(50, "webhooks of a project, pro plan");
export const WEBHOOK_EVENTS_MAX = ours(100, "collections that a webhook names in `events`");
export const WEBHOOK_TIMEOUT_SECONDS = events(10, "seconds that a webhook may take to answer");
export const WEBHOOK_TIMEOUT_MS = WEBHOOK_TIMEOUT_SECONDS * 1000;
export const WEBHOOK_ANSWER_BYTES = events(1024, "bytes that are kept of a webhook's answer");
export const WEBHOOK_BODY_BYTES_MAX = ours(
  1.5 * MiB,
  "bytes of a message to a webhook; what is longer has no `previous`",
);
export const WEBHOOK_MESSAGES_BYTES_MAX = ours(
  64 * MiB,
  "bytes of messages of a project that wait, and no more than a quarter of what its plan " +
    "gives documents",
);
export const WEBHOOK_BODY_HOURS = ours(24, "hours that the body of a delivered message is kept");
export const WEBHOOK_BODY_MS = WEBHOOK_BODY_HOURS * 3_600_000;
export const WEBHOOK_LOG_DAYS = events(7, "days messages to webhooks are kept");
export const WEBHOOK_LOG_MS = WEBHOOK_LOG_DAYS * 86_400_000;
export const WEBHOOK_OVERLAP_HOURS = events(
  24,
  "hours for which a webhook's former secret signs too",
);
export const WEBHOOK_OVERLAP_MS = WEBHOOK_OVERLAP_HOURS * 3_600_000;
export const WEBHOOK_REPLAY_MAX = ours(1000, "messages that one request sends again");
export const DASHBOARD_SIGN_IN_RATE_PER_MINUTE = everywhere(20, "dashboard sign-ins per address");
export const KEY_GRACE_HOURS_MAX = everywhere(
  72,
  "hours for which a rotated API key works as well",
);
export const PASSWORD_LENGTH_MIN = accounts(8, "characters of a password");
export const PASSWORD_LENGTH_MAX = accounts(200, "characters of a password");
export const PASSWORD_TRIES_MAX = ours(
  5,
  "wrong passwords for an account from one place, without a wait",
);
export const PASSWORD_QUEUE_PER_ADDRESS_MAX = ours(
  10,
  "requests of a network that wait for a password to be hashed, in a process",
);
export const PASSWORD_QUEUE_MAX = ours(100, "such requests in all");
export const PASSWORD_WAIT_SECONDS = ours(60, "seconds before the next; twice as many each time");
export const PASSWORD_WAIT_MS = PASSWORD_WAIT_SECONDS * 1000;
export const PASSWORD_WAIT_MINUTES_MAX = ours(15, "minutes of such a wait");
export const PASSWORD_WAIT_MS_MAX = PASSWORD_WAIT_MINUTES_MAX * 60_000;
export const PASSWORD_TRIES_MINUTES = ours(60, "minutes after which wrong passwords are forgotten");
export const PASSWORD_TRIES_MEMORY_MS = PASSWORD_TRIES_MINUTES * 60_000;
export const SIGN_IN_FAILURES_MAX = ours(
  50,
  "wrong passwords for an account from everywhere, before new places wait too",
);
export const KNOWN_DEVICE_DAYS = ours(365, "days a browser is known to have been signed in");
export const KNOWN_DEVICE_SECONDS = KNOWN_DEVICE_DAYS * 86_400;
