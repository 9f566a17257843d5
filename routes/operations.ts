import * as accountEmail from "@/openapi/paths/account_email.ts";
import * as accountTokens from "@/openapi/paths/account_tokens.ts";
import * as accounts from "@/openapi/paths/accounts.ts";
import * as ai from "@/openapi/paths/ai.ts";
import * as blobs from "@/openapi/paths/blobs.ts";
import * as data from "@/openapi/paths/data.ts";
import * as live from "@/openapi/paths/live.ts";
import * as invitations from "@/openapi/paths/invitations.ts";
import * as mail from "@/openapi/paths/mail.ts";
import * as members from "@/openapi/paths/members.ts";
import * as projects from "@/openapi/paths/projects.ts";
import * as projectCollections from "@/openapi/paths/project_collections.ts";
import * as projectDocuments from "@/openapi/paths/project_documents.ts";
import * as projectFiles from "@/openapi/paths/project_files.ts";
import * as projectJobs from "@/openapi/paths/project_jobs.ts";
import * as projectKeys from "@/openapi/paths/project_keys.ts";
import * as projectRequests from "@/openapi/paths/project_requests.ts";
import * as projectMail from "@/openapi/paths/project_mail.ts";
import * as projectProviders from "@/openapi/paths/project_providers.ts";
import * as projectSlowQuestions from "@/openapi/paths/project_slow_questions.ts";
import * as projectStorage from "@/openapi/paths/project_storage.ts";
import * as projectTypes from "@/openapi/paths/project_types.ts";
import * as projectUsers from "@/openapi/paths/project_users.ts";
import * as projectViews from "@/openapi/paths/project_views.ts";
import * as schemas from "@/openapi/paths/schemas.ts";
import * as sessions from "@/openapi/paths/sessions.ts";
import * as social from "@/openapi/paths/social.ts";
import * as storage from "@/openapi/paths/storage.ts";
import * as system from "@/openapi/paths/system.ts";
import * as userEmail from "@/openapi/paths/user_email.ts";
import * as users from "@/openapi/paths/users.ts";
import * as webhooks from "@/openapi/paths/webhooks.ts";
import type { Mount } from "./handler.ts";
import {
  handleChangeAccountEmail,
  handleConfirmAccountEmail,
  handleRequestAccountPasswordReset,
  handleResendAccountVerification,
  handleResetAccountPassword,
  handleVerifyAccountEmail,
} from "./accounts/email.ts";
import {
  handleChangePassword,
  handleDeleteAccount,
  handleGetAccount,
  handlePatchAccount,
} from "./accounts/own_account.ts";
import { handleEndAccountSession, handleListAccountSessions } from "./accounts/sessions.ts";
import {
  handleRegisterAccount,
  handleSignInAccount,
  handleSignOutAccount,
} from "./accounts/sign_in.ts";
import {
  handleCreateAccountToken,
  handleDeleteAccountToken,
  handleListAccountTokens,
} from "./accounts/tokens.ts";
import { handleBuildQuery } from "./ai/build_query.ts";
import {
  handleApplyDesign,
  handleDesignCollections,
  handleEndDesign,
} from "./ai/design_collections.ts";
import { handleGetAiUsage, handleSetAccountAiKey, handleSetProjectAiKey } from "./ai/keys.ts";
import { asServer } from "./as_server.ts";
import { handlePutBlob } from "./blobs/put_blob.ts";
import {
  handleCancelUpload,
  handleGetUpload,
  handleResumeUpload,
} from "./blobs/resumable_upload.ts";
import { handleServeFile } from "./blobs/serve_file.ts";
import { handleAggregateDocuments } from "./data/aggregate_documents.ts";
import { handleCreateDocument } from "./data/create_document.ts";
import { handleCreateDocuments } from "./data/create_documents.ts";
import { handleDeleteDocument } from "./data/delete_document.ts";
import { handleGetDocument } from "./data/get_document.ts";
import { handleGetSchema } from "./data/get_schema.ts";
import { handleCreateLiveTicket } from "./data/create_live_ticket.ts";
import { handleListDocuments } from "./data/list_documents.ts";
import { handleListenToDocuments } from "./data/listen_to_documents.ts";
import { handlePatchDocument } from "./data/patch_document.ts";
import { handleWriteBatch } from "./data/write_batch.ts";
import { handleRecoverDocument } from "./data/recover_document.ts";
import { handleReplaceDocument } from "./data/replace_document.ts";
import { handleListMails, handleSendMail } from "./mail/mails.ts";
import {
  handleCheckProjectMail,
  handleClearProjectMail,
  handleGetKeptMail,
  handleGetProjectMail,
  handleSendProjectMailAgain,
  handleSetProjectMail,
} from "./mail/project_mail.ts";
import {
  handleDeleteMailTemplate,
  handleListMailTemplates,
  handlePreviewMailTemplate,
  handleSetMailTemplate,
} from "./mail/templates.ts";
import {
  handleCreateCollection,
  handleDeleteCollection,
  handleListCollections,
  handleRenameCollection,
  handleUpdateCollection,
} from "./project_collections/collections.ts";
import { handleListSlowQuestions } from "./project_collections/slow_questions.ts";
import {
  handleExportDocumentsAsCsv,
  handleExportDocumentsAsJson,
} from "./project_documents/exports.ts";
import { handleImportDocuments } from "./project_documents/import.ts";
import { handleDeleteView, handleListViews, handleSaveView } from "./project_collections/views.ts";
import { handleConfirmProjectUpload, handleRequestProjectUpload } from "./project_files/uploads.ts";
import {
  handleCheckProjectStorage,
  handleClearProjectStorage,
  handleGetProjectStorage,
  handleSetProjectStorage,
} from "./project_storage/storage.ts";
import {
  handleListProviders,
  handleSetProvider,
  handleTryProvider,
} from "./project_providers/providers.ts";
import { handleGetJwks } from "./projects/get_jwks.ts";
import {
  handleAcceptInvitation,
  handleDeclineInvitation,
  handleInviteMember,
  handleListInvitations,
  handleOfferOwnership,
  handlePreviewInvitation,
  handleRevokeInvitation,
} from "./projects/invitations.ts";
import {
  handleEndFormerProjectKey,
  handleListProjectKeys,
  handleRotateProjectKey,
} from "./projects/keys.ts";
import { handleListJobs, handleTryJob } from "./projects/jobs.ts";
import { handleChangeMember, handleListMembers, handleRemoveMember } from "./projects/members.ts";
import {
  handleCreateProject,
  handleDeleteProject,
  handleGetProject,
  handleGetProjectUsage,
  handleListProjects,
  handlePatchProject,
} from "./projects/projects.ts";
import { handleListRequests, handleRecordRequests } from "./projects/requests.ts";
import { handleGetProjectOpenApi, handleGetProjectTypes } from "./projects/types.ts";
import { handleEndSession } from "./sessions/end_session.ts";
import { handleExchangeCode } from "./sessions/exchange_code.ts";
import { handleListSessions } from "./sessions/list_sessions.ts";
import { handleLogout } from "./sessions/logout.ts";
import { handleLogoutAll } from "./sessions/logout_all.ts";
import { handleRefreshSession } from "./sessions/refresh_session.ts";
import { handleSignInCallback } from "./social/sign_in_callback.ts";
import { handleStartSignIn } from "./social/start_sign_in.ts";
import { handleConfirmUpload } from "./storage/confirm_upload.ts";
import {
  handleChangeFile,
  handleDeleteFile,
  handleGetFileInfo,
  handleGetStorageUsage,
  handleListFiles,
  handleSignFile,
} from "./storage/files.ts";
import { handleRequestUpload } from "./storage/request_upload.ts";
import { handleGetHealth, handleGetReadiness } from "./system/health.ts";
import { handleGetIndex } from "./system/index.ts";
import { handleGetOpenApi } from "./system/openapi.ts";
import { handleGetClient, handleGetClientTypes, handleGetCommandLine } from "./system/client.ts";
import { handleGetReference } from "./reference/get_reference.ts";
import { handleGetReferenceScript } from "./reference/scalar.ts";
import {
  handleChangeEmail,
  handleChangeUserPassword,
  handleConfirmEmailChange,
  handleRequestCode,
  handleRequestPasswordReset,
  handleResendVerification,
  handleResetPassword,
  handleVerifyEmail,
} from "./users/codes.ts";
import {
  handleGetMe,
  handleGetPublicUser,
  handlePatchMe,
  handleUpdateProfile,
} from "./users/me.ts";
import {
  handleLogIn,
  handleSignInAnonymously,
  handleSignUp,
  handleVerifyCode,
} from "./users/sign_in.ts";
import {
  handleCreateTestToken,
  handleEndProjectUserSession,
  handleListProjectUserSessions,
} from "./users/user_sessions.ts";
import {
  handleCreateUser,
  handleDeleteUser,
  handleEndUserSessions,
  handleGetUser,
  handleListUsers,
  handlePatchUser,
} from "./users/users.ts";
import { handleGetUserFields, handleSetUserFields } from "./users/user_fields.ts";
import {
  handleGetWebhookDelivery,
  handleListWebhookDeliveries,
  handleReplayWebhookDeliveries,
  handleReplayWebhookDelivery,
} from "./webhooks/deliveries.ts";
import {
  handleCreateWebhook,
  handleDeleteWebhook,
  handleGetWebhook,
  handleListWebhooks,
  handleRotateWebhookSecret,
  handleTestWebhook,
  handleUpdateWebhook,
} from "./webhooks/webhooks.ts";

/** Which handler answers which contract. */
export function operations(mount: Mount): void {
  mount(data.listDocuments, handleListDocuments);
  mount(live.listenToDocuments, handleListenToDocuments);
  mount(live.createLiveTicket, handleCreateLiveTicket);
  mount(data.aggregateDocuments, handleAggregateDocuments);
  mount(data.createDocument, handleCreateDocument);
  mount(data.createDocuments, handleCreateDocuments);
  mount(data.getDocument, handleGetDocument);
  mount(data.replaceDocument, handleReplaceDocument);
  mount(data.patchDocument, handlePatchDocument);
  mount(data.deleteDocument, handleDeleteDocument);
  mount(data.recoverDocument, handleRecoverDocument);
  mount(data.writeBatch, handleWriteBatch);
  mount(schemas.getSchema, handleGetSchema);
  mount(projectTypes.getProjectOpenApi, handleGetProjectOpenApi);
  mount(projectTypes.getProjectTypes, handleGetProjectTypes);
  mount(sessions.exchangeCode, handleExchangeCode);
  mount(sessions.refreshSession, handleRefreshSession);
  mount(sessions.logout, handleLogout);
  mount(sessions.logoutAll, handleLogoutAll);
  mount(sessions.listSessions, handleListSessions);
  mount(sessions.endSession, handleEndSession);
  mount(users.getMe, handleGetMe);
  mount(users.patchMe, handlePatchMe);
  mount(userEmail.signUp, handleSignUp);
  mount(userEmail.logIn, handleLogIn);
  mount(userEmail.verifyEmail, handleVerifyEmail);
  mount(userEmail.resendVerification, handleResendVerification);
  mount(userEmail.requestPasswordReset, handleRequestPasswordReset);
  mount(userEmail.resetPassword, handleResetPassword);
  mount(userEmail.changeUserPassword, handleChangeUserPassword);
  mount(userEmail.requestCode, handleRequestCode);
  mount(userEmail.verifyCode, handleVerifyCode);
  mount(userEmail.changeEmail, handleChangeEmail);
  mount(userEmail.confirmEmailChange, handleConfirmEmailChange);
  mount(userEmail.signInAnonymously, handleSignInAnonymously);
  mount(userEmail.updateProfile, handleUpdateProfile);
  mount(userEmail.getPublicUser, handleGetPublicUser);
  mount(users.createUser, handleCreateUser);
  mount(users.listUsers, handleListUsers);
  mount(users.getUser, handleGetUser);
  mount(users.patchUser, handlePatchUser);
  mount(users.deleteUser, handleDeleteUser);
  mount(users.endUserSessions, handleEndUserSessions);
  mount(social.startSignIn, handleStartSignIn);
  mount(social.signInCallback, handleSignInCallback);
  mount(storage.requestUpload, handleRequestUpload);
  mount(storage.confirmUpload, handleConfirmUpload);
  mount(storage.deleteFile, handleDeleteFile);
  mount(storage.listFiles, handleListFiles);
  mount(storage.getFileInfo, handleGetFileInfo);
  mount(storage.getStorageUsage, handleGetStorageUsage);
  mount(storage.signFile, handleSignFile);
  mount(blobs.putBlob, handlePutBlob);
  mount(blobs.getUpload, handleGetUpload);
  mount(blobs.resumeUpload, handleResumeUpload);
  mount(blobs.cancelUpload, handleCancelUpload);
  mount(blobs.serveFile, handleServeFile);
  mount(mail.sendMail, handleSendMail);
  mount(mail.listMails, handleListMails);
  mount(accounts.registerAccount, handleRegisterAccount);
  mount(accounts.signInAccount, handleSignInAccount);
  mount(accounts.signOutAccount, handleSignOutAccount);
  mount(accounts.getAccount, handleGetAccount);
  mount(accounts.getUserAccount, handleGetAccount);
  mount(accounts.patchAccount, handlePatchAccount);
  mount(projects.createProject, handleCreateProject);
  mount(projects.listProjects, handleListProjects);
  mount(projects.getProject, handleGetProject);
  mount(projects.patchProject, handlePatchProject);
  mount(projects.deleteProject, handleDeleteProject);
  mount(projectKeys.listProjectKeys, handleListProjectKeys);
  mount(projectKeys.rotateProjectKey, handleRotateProjectKey);
  mount(projectKeys.endFormerProjectKey, handleEndFormerProjectKey);
  mount(projects.getProjectUsage, handleGetProjectUsage);
  mount(projectRequests.listRequests, handleListRequests);
  mount(projectRequests.recordRequests, handleRecordRequests);
  mount(projectJobs.listJobs, handleListJobs);
  mount(projectJobs.tryJob, handleTryJob);
  mount(members.listMembers, handleListMembers);
  mount(members.changeMember, handleChangeMember);
  mount(members.removeMember, handleRemoveMember);
  mount(invitations.inviteMember, handleInviteMember);
  mount(invitations.listInvitations, handleListInvitations);
  mount(invitations.revokeInvitation, handleRevokeInvitation);
  mount(invitations.offerOwnership, handleOfferOwnership);
  mount(invitations.previewInvitation, handlePreviewInvitation);
  mount(invitations.acceptInvitation, handleAcceptInvitation);
  mount(invitations.declineInvitation, handleDeclineInvitation);
  mount(accounts.changePassword, handleChangePassword);
  mount(accounts.listAccountSessions, handleListAccountSessions);
  mount(accounts.endAccountSession, handleEndAccountSession);
  mount(accounts.deleteAccount, handleDeleteAccount);
  mount(accountTokens.listAccountTokens, handleListAccountTokens);
  mount(accountTokens.createAccountToken, handleCreateAccountToken);
  mount(accountTokens.deleteAccountToken, handleDeleteAccountToken);
  mount(accountEmail.verifyAccountEmail, handleVerifyAccountEmail);
  mount(accountEmail.resendAccountVerification, handleResendAccountVerification);
  mount(accountEmail.requestAccountPasswordReset, handleRequestAccountPasswordReset);
  mount(accountEmail.resetAccountPassword, handleResetAccountPassword);
  mount(accountEmail.changeAccountEmail, handleChangeAccountEmail);
  mount(accountEmail.confirmAccountEmail, handleConfirmAccountEmail);
  mount(projectProviders.listProviders, handleListProviders);
  mount(projectProviders.setProvider, handleSetProvider);
  mount(projectProviders.tryProvider, handleTryProvider);
  mount(projectCollections.listCollections, handleListCollections);
  mount(projectCollections.createCollection, handleCreateCollection);
  mount(projectCollections.updateCollection, handleUpdateCollection);
  mount(projectCollections.renameCollection, handleRenameCollection);
  mount(projectCollections.deleteCollection, handleDeleteCollection);
  mount(projectSlowQuestions.listSlowQuestions, handleListSlowQuestions);
  mount(projectViews.listViews, handleListViews);
  mount(projectViews.saveView, handleSaveView);
  mount(projectViews.deleteView, handleDeleteView);
  mount(projectDocuments.listProjectDocuments, asServer(handleListDocuments));
  mount(projectDocuments.aggregateProjectDocuments, asServer(handleAggregateDocuments));
  mount(projectDocuments.createProjectDocument, asServer(handleCreateDocument));
  mount(projectDocuments.getProjectDocument, asServer(handleGetDocument));
  mount(projectDocuments.replaceProjectDocument, asServer(handleReplaceDocument));
  mount(projectDocuments.patchProjectDocument, asServer(handlePatchDocument));
  mount(projectDocuments.deleteProjectDocument, asServer(handleDeleteDocument));
  mount(projectDocuments.recoverProjectDocument, asServer(handleRecoverDocument));
  mount(projectDocuments.exportDocumentsAsCsv, asServer(handleExportDocumentsAsCsv));
  mount(projectDocuments.exportDocumentsAsJson, asServer(handleExportDocumentsAsJson));
  mount(projectDocuments.importDocuments, asServer(handleImportDocuments));
  mount(projectUsers.getUserFields, handleGetUserFields);
  mount(projectUsers.setUserFields, handleSetUserFields);
  mount(projectUsers.createProjectUser, asServer(handleCreateUser));
  mount(projectUsers.listProjectUsers, asServer(handleListUsers));
  mount(projectUsers.getProjectUser, asServer(handleGetUser));
  mount(projectUsers.patchProjectUser, asServer(handlePatchUser));
  mount(projectUsers.deleteProjectUser, asServer(handleDeleteUser));
  mount(projectUsers.listProjectUserSessions, handleListProjectUserSessions);
  mount(projectUsers.endProjectUserSession, handleEndProjectUserSession);
  mount(projectUsers.endProjectUserSessions, asServer(handleEndUserSessions));
  mount(projectUsers.createTestToken, handleCreateTestToken);
  mount(ai.setAccountAiKey, handleSetAccountAiKey);
  mount(ai.setProjectAiKey, handleSetProjectAiKey);
  mount(ai.getAiUsage, handleGetAiUsage);
  mount(ai.buildQuery, handleBuildQuery);
  mount(ai.designCollections, handleDesignCollections);
  mount(ai.applyDesign, handleApplyDesign);
  mount(ai.endDesign, handleEndDesign);
  mount(projectFiles.listProjectFiles, asServer(handleListFiles));
  mount(projectFiles.requestProjectUpload, handleRequestProjectUpload);
  mount(projectFiles.confirmProjectUpload, handleConfirmProjectUpload);
  mount(projectFiles.deleteProjectFile, asServer(handleDeleteFile));
  mount(projectFiles.signProjectFile, asServer(handleSignFile));
  mount(projectFiles.changeProjectFile, asServer(handleChangeFile));
  mount(projectStorage.getProjectStorage, handleGetProjectStorage);
  mount(projectStorage.setProjectStorage, handleSetProjectStorage);
  mount(projectStorage.clearProjectStorage, handleClearProjectStorage);
  mount(projectStorage.checkProjectStorage, handleCheckProjectStorage);
  mount(projectMail.getProjectMail, handleGetProjectMail);
  mount(projectMail.setProjectMail, handleSetProjectMail);
  mount(projectMail.clearProjectMail, handleClearProjectMail);
  mount(projectMail.checkProjectMail, handleCheckProjectMail);
  mount(projectMail.listProjectMails, asServer(handleListMails));
  mount(projectMail.getKeptMail, handleGetKeptMail);
  mount(projectMail.sendProjectMailAgain, handleSendProjectMailAgain);
  mount(projectMail.listMailTemplates, handleListMailTemplates);
  mount(projectMail.setMailTemplate, handleSetMailTemplate);
  mount(projectMail.deleteMailTemplate, handleDeleteMailTemplate);
  mount(projectMail.previewMailTemplate, handlePreviewMailTemplate);
  mount(webhooks.createWebhook, handleCreateWebhook);
  mount(webhooks.listWebhooks, handleListWebhooks);
  mount(webhooks.getWebhook, handleGetWebhook);
  mount(webhooks.updateWebhook, handleUpdateWebhook);
  mount(webhooks.deleteWebhook, handleDeleteWebhook);
  mount(webhooks.rotateWebhookSecret, handleRotateWebhookSecret);
  mount(webhooks.testWebhook, handleTestWebhook);
  mount(webhooks.listWebhookDeliveries, handleListWebhookDeliveries);
  mount(webhooks.getWebhookDelivery, handleGetWebhookDelivery);
  mount(webhooks.replayWebhookDelivery, handleReplayWebhookDelivery);
  mount(webhooks.replayWebhookDeliveries, handleReplayWebhookDeliveries);
  mount(system.getJwks, handleGetJwks);
  mount(system.getHealth, handleGetHealth);
  mount(system.getReadiness, handleGetReadiness);
  mount(system.getIndex, handleGetIndex);
  mount(system.getDocumentFile, handleGetOpenApi);
  mount(system.getClient, handleGetClient);
  mount(system.getClientTypes, handleGetClientTypes);
  mount(system.getCommandLine, handleGetCommandLine);
  mount(system.getReference, handleGetReference);
  mount(system.getReferenceScript, handleGetReferenceScript);
}
