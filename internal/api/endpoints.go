package api

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text/verdict"
	"segel/internal/workflow"
)

// Path prefixes of the endpoints.
const (
	signBase     = "/v1/econtract/{service}/sign/"
	documentBase = "/v1/econtract/web_app/document/"
	adminBase    = "/v1/admin/"
)

// Shorter names for the table.
const (
	get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	docs, verbs, admin         = documentBase, signBase, adminBase
)

// endpointGroups is the whole interface. The router, the specification and the tests of authorisation are built from it.
//
// Each row has the method, the path, the operation ID, who may call it, the kind of its body, how long it may take, its
// handler, and a summary for the specification. [descriptions] has the rest of what the specification says.
func endpointGroups() []endpointGroup {
	return []endpointGroup{
		{"account", "Logins, sessions and the caller's account.", []row{
			{post, "/v1/auth/login", "login", anybody, tinyJSON, delayed, acceptJSON((*call).logIn), "Log in"},
			{post, "/v1/auth/refresh", "refresh", anybody, tinyJSON, brief, acceptJSON((*call).refreshSession), "Exchange a refresh token for new tokens"},
			{post, "/v1/auth/logout", "logout", anyToken, tinyJSON, brief, acceptJSON((*call).logOut), "Log out"},
			{post, "/v1/auth/forgot-password", "forgot-password", anybody, tinyJSON, brief, acceptJSON((*call).requestPassword), "Ask for a new password"},
			{post, "/v1/auth/reset-link", "reset-link", anybody, tinyJSON, brief, acceptJSON((*call).lookUpResetLink), "The account whose password a mailed link replaces"},
			{post, "/v1/auth/reset-password", "reset-password", anybody, tinyJSON, delayed, acceptJSON((*call).resetPassword), "Replace a forgotten password with a mailed link"},
			{post, "/v1/auth/invitation", "invitation", anybody, tinyJSON, brief, acceptJSON((*call).lookUpInvitation), "What an invitation says"},
			{post, "/v1/auth/invitation/accept", "accept-invitation", anybody, tinyJSON, delayed, acceptJSON((*call).acceptInvitation), "Accept an invitation"},
			{post, "/v1/auth/password", "password", givenToo, tinyJSON, delayed, acceptJSON((*call).changePassword), "Change the caller's password"},
			{get, "/v1/auth/me", "me", givenToo, noBody, brief, answerData((*call).loadAccount), "The caller's account"},
			{post, "/v1/auth/session", "session", anybody, tinyJSON, delayed, acceptJSON((*call).openWebSession), "Log in to the web app"},
			{post, "/v1/auth/reauthenticate", "reauthenticate", accounts, tinyJSON, delayed, acceptJSON((*call).reauthenticate), "Prove the caller's identity again"},
			{get, "/v1/auth/sessions", "sessions", accounts, noBody, brief, answerData((*call).listSessions), "The caller's sessions"},
			{del, "/v1/auth/sessions", "end-other-sessions", accounts, noBody, brief, answerJSON((*call).endOtherSessions), "End all other sessions of the caller"},
			{del, "/v1/auth/sessions/{session_id}", "end-session", accounts, noBody, brief, answerJSON((*call).endSession), "End a session of the caller"},
			{get, "/v1/auth/export", "export-own-data", accounts.acceptRecent(), noBody, lengthy, serveRaw((*call).exportOwnData), "Everything that is stored about the caller"},
			{put, "/v1/auth/account/erased", "erase-own-account", accounts.acceptRecent(), tinyJSON, lengthy, acceptJSON((*call).eraseOwnAccount), "Erase the caller's account and data"},
			{get, "/v1/auth/organisations", "organisations", enrolToo, noBody, brief, answerData((*call).listMemberships), "The accounts that the caller can switch to"},
			{post, "/v1/auth/organisations", "add-organisation", accounts, tinyJSON, delayed, acceptJSON((*call).addMembership), "Log in to another account beside this one"},
			{del, "/v1/auth/organisations/{organisation_id}", "leave-organisation", enrolToo, noBody, brief, answerJSON((*call).leaveOrganisation), "Log out of another account"},
			{post, "/v1/auth/switch", "switch", enrolToo, tinyJSON, delayed, acceptJSON((*call).switchOrganisation), "Switch to another account"},
			{post, "/v1/auth/sso", "begin-sso", anybody, tinyJSON, lengthy, acceptJSON((*call).beginSSO), "Start a login with the provider of a mail domain"},
			{get, "/v1/auth/sso/{organisation}/callback", "finish-sso", anybody, noBody, lengthy, serveRaw((*call).finishSSO), "The address to which a provider sends people back"},
			{post, "/v1/auth/sso/factor", "sso-factor", anybody, tinyJSON, lengthy, acceptJSON((*call).proveSSO), "Prove the second factor of a login with a provider"},
			{post, "/v1/auth/sso/{organisation}/logout", "provider-logout", anybody, tinyForm, lengthy, serveRaw((*call).receiveProviderLogout), "The address at which a provider reports a logout"},
			{post, "/v1/auth/guest", "guest", anybody, tinyJSON, brief, acceptJSON((*call).openGuestLink), "Open a guest link"},
			{post, "/v1/auth/embedded", "open-embedded", anybody, tinyJSON, brief, acceptJSON((*call).openEmbed), "Open an address of an embedded page"},
			{post, "/v1/auth/guest/account", "guest-account", onlyGuest, tinyJSON, delayed, acceptJSON((*call).createGuestAccount), "Create an account for a guest"},
			{post, "/v1/auth/guest/document", "guest-document", accounts, tinyJSON, brief, acceptJSON((*call).openAsGuest), "Open a document as its guest"},
			{get, "/v1/auth/keys", "keys", accounts, noBody, brief, answerData((*call).listKeys), "The caller's API keys"},
			{post, "/v1/auth/keys", "create-key", accounts.acceptRecent(), tinyJSON, brief, acceptJSON((*call).createKey), "Create an API key"},
			{del, "/v1/auth/keys/{key_id}", "revoke-key", accounts, noBody, brief, answerJSON((*call).revokeOwnKey), "Revoke an API key"},
			{post, tokenPath, "token", anybody, tinyForm, brief, serveTyped[nothing, accessToken]((*call).issueToken), "Exchange an API key for an access token (OAuth 2.0)"},
			{get, "/.well-known/oauth-authorization-server", "oauth-metadata", anybody, noBody, brief, serveTyped[nothing, authorizationServer]((*call).describeTokenEndpoint), "The token endpoint, for clients that configure themselves"},
			{get, "/v1/auth/factors", "factors", enrolToo, noBody, brief, answerData((*call).loadFactors), "The caller's second factors"},
			{post, "/v1/auth/factors/totp", "begin-totp", enrolToo, tinyJSON, delayed, acceptJSON((*call).beginTOTP), "Begin to add an authenticator app"},
			{post, "/v1/auth/factors/totp/confirm", "confirm-totp", enrolToo, tinyJSON, brief, acceptJSON((*call).confirmTOTP), "Confirm an authenticator app with its first code"},
			{post, "/v1/auth/factors/totp/remove", "remove-totp", accounts, tinyJSON, delayed, acceptJSON((*call).removeTOTP), "Remove the authenticator app"},
			{post, "/v1/auth/factors/recovery-codes", "recovery-codes", accounts, tinyJSON, delayed, acceptJSON((*call).replaceRecoveryCodes), "Replace the recovery codes"},
			{post, "/v1/auth/factors/passkey-options", "passkey-options", enrolToo, tinyJSON, delayed, acceptJSON((*call).passkeyRegisterOptions), "Options for a new passkey"},
			{post, "/v1/auth/factors/passkeys", "add-passkey", enrolToo, smallJSON, brief, acceptJSON((*call).addPasskey), "Add a passkey"},
			{put, "/v1/auth/factors/passkeys/{passkey_id}/name", "rename-passkey", accounts, tinyJSON, brief, acceptJSON((*call).renamePasskey), "Rename a passkey"},
			{post, "/v1/auth/factors/passkeys/{passkey_id}/remove", "remove-passkey", accounts, tinyJSON, delayed, acceptJSON((*call).removePasskey), "Remove a passkey"},
			{post, "/v1/auth/passkey-login-options", "passkey-login-options", anybody, tinyJSON, brief, acceptJSON((*call).passkeyLoginOptions), "Options for a login with a passkey"},
			{post, "/v1/auth/passkey-sign-options", "passkey-sign-options", accounts, smallJSON, brief, acceptJSON((*call).passkeySignOptions), "Options for signing with a passkey"},
			{get, "/v1/auth/list_user", "list-users", use(contract.AccountDirectory), noBody, brief, answerJSON((*call).listUsers), "The signer directory"},
			{get, "/v1/econtract/web_app/guests", "suggest-guests", use(contract.AccountDirectory), noBody, brief, answerData((*call).suggestGuests), "Guests whom the caller entered before"},
			{get, "/v1/auth/specimen", "specimen", use(contract.AccountSpecimen), noBody, lengthy, serveRaw((*call).sendSpecimen), "The picture of the caller's signature or initials"},
			{put, "/v1/auth/specimen", "put-specimen", use(contract.AccountSpecimen), picture, lengthy, serveTyped[nothing, noted]((*call).storeSpecimen), "Store a picture of the caller's signature or initials"},
			{del, "/v1/auth/specimen", "delete-specimen", use(contract.AccountSpecimen), noBody, brief, answerJSON((*call).deleteSpecimen), "Delete the picture of the caller's signature or initials"},
			{get, "/v1/avatar/{id}", "avatar", anybody, noBody, brief, serveRaw((*call).sendAvatar), "A picture for a person"},
			{get, "/v1/logo/{logo}", "logo", anybody, noBody, brief, serveRaw((*call).sendLogo), "The logo of an organisation"},
			{get, "/v1/econtract/web_app/client_balance", "balance", use(contract.AccountBalance), noBody, brief, answerJSON((*call).loadBalance), "The remaining quota of the organisation"},
		}},
		{"verbs", "Operations on a document.", []row{
			{post, verbs + "upload-docs-base64", "upload", use(contract.AccountSend), fileJSON, receiving, serveTyped[uploadIn, done[uploadData]]((*call).uploadBase64), "Upload a document"},
			{post, verbs + "upload-docs", "upload-multipart", use(contract.AccountSend), fileForm, receiving, serveTyped[uploadIn, done[uploadData]]((*call).uploadForm), "Upload a document as a form"},
			{post, verbs + "participants-docs", "participants", may(contract.OpParticipants), largeJSON, brief, acceptJSON((*call).setParticipants), "Replace the participants of a draft"},
			{post, verbs + "describe-docs", "describe", may(contract.OpDescribe), smallJSON, brief, acceptJSON((*call).describeDocument), "Change title and deadline of a draft"},
			{post, verbs + "placement-docs", "place", may(contract.OpPlace), largeJSON, lengthy, acceptJSON((*call).placeFields), "Place signatures, initials and duty stamps"},
			{post, verbs + "finalize-docs", "finalize", may(contract.OpFinalize), smallJSON, lengthy, acceptJSON((*call).finalizeDocument), "Finalize a draft"},
			{post, verbs + "process-docs", "process", may(contract.OpFinalize), smallJSON, lengthy, acceptJSON((*call).finalizeDocument), "Finalize a draft (another name)"},
			{post, verbs + "guest-link-docs", "guest-link", may(contract.OpGuestLink), smallJSON, brief, acceptJSON((*call).createGuestLink), "Create a guest's link"},
			{post, verbs + "guest-revoke-docs", "guest-revoke", may(contract.OpGuestRevoke), smallJSON, brief, acceptJSON((*call).revokeGuestLink), "Revoke a guest's link"},
			{post, verbs + "embed-docs", "embed", may(contract.OpEmbed), smallJSON, brief, acceptJSON((*call).requestEmbed), "Create an address of an embedded page"},
			{post, verbs + "correct-guest-docs", "correct-guest", may(contract.OpCorrectGuest), smallJSON, brief, acceptJSON((*call).correctGuest), "Correct the name or address of a guest"},
			{post, verbs + "guest-code-docs", "guest-code", may(contract.OpCode), smallJSON, brief, acceptJSON((*call).orderGuestCode), "Send a code to the caller's mailbox or phone"},
			{post, verbs + "guest-verify-docs", "guest-verify", may(contract.OpProveContact), smallJSON, brief, acceptJSON((*call).proveContact), "Enter the code that was sent"},
			{post, verbs + "sign-docs", "sign", may(contract.OpSign), pictureJSON, lengthy, acceptJSON((*call).signDocument), "Sign"},
			{post, verbs + "sign-many-docs", "sign-many", mayForEach(contract.OpSign), pictureJSON, lengthy, acceptJSON((*call).signMany), "Sign several documents with one consent"},
			{post, verbs + "specimen-preview-docs", "specimen-preview", may(contract.OpSign), pictureJSON, lengthy, acceptJSON((*call).previewSpecimen), "Preview a picture of a signature"},
			{post, verbs + "approve-docs", "approve", may(contract.OpApprove), smallJSON, lengthy, acceptJSON((*call).approveDocument), "Approve"},
			{post, verbs + "reject-docs", "reject", may(contract.OpReject), smallJSON, delayed, acceptJSON((*call).rejectDocument), "Decline to sign"},
			{post, verbs + "delegate-docs", "delegate", may(contract.OpDelegate), smallJSON, brief, acceptJSON((*call).delegatePart), "Pass one's part to another person"},
			{post, verbs + "cancel-docs", "cancel", may(contract.OpCancel), smallJSON, brief, endDocument("done.cancel", (*workflow.Service).Cancel), "Cancel a document"},
			{post, verbs + "remind-docs", "remind", may(contract.OpRemind), smallJSON, brief, changeDocument("done.remind", (*workflow.Service).Remind), "Remind the signers whose turn it is"},
			{post, verbs + "restamp-docs", "restamp", may(contract.OpRestamp), smallJSON, lengthy, acceptJSON((*call).restampDocument), "Try a failed stamp again"},
			{post, verbs + "copy-docs", "copy", may(contract.OpCopy), smallJSON, lengthy, acceptJSON((*call).copyDocument), "Make a draft of an ended document"},
			{post, verbs + "team-docs", "team", may(contract.OpShare), smallJSON, brief, acceptJSON((*call).shareWithTeam), "Share a document with a team of its owner, or no longer"},
			{post, verbs + "template-docs", "make-template", may(contract.OpTemplate), largeJSON, lengthy, acceptJSON((*call).makeTemplate), "Save a document as a template"},
			{post, verbs + "use-template-docs", "use-template", may(contract.OpUse), largeJSON, lengthy, acceptJSON((*call).useTemplate), "Make a draft from a template"},
			{post, verbs + "retry-docs", "retry", may(contract.OpRetry), smallJSON, lengthy, changeDocument("done.retried", (*workflow.Service).RetryOwn), "Retry now the step that a document waits for"},
		}},
		{"uploads", "Files that arrive in parts, by tus 1.0.0, and can be continued after the connection was cut.", []row{
			{post, uploadsPath, "begin-upload", use(contract.AccountSend), noBody, brief, serveTus((*call).beginUpload), "Begin a file that arrives in parts"},
			{get, uploadsPath + "/{upload_id}", "upload-progress", use(contract.AccountSend), noBody, brief, serveTus((*call).sendUpload).describedBy(found[resumableData]{}), "How much of a file has arrived"},
			{patch, uploadsPath + "/{upload_id}", "continue-upload", use(contract.AccountSend), filePart, receiving, serveTus((*call).continueUpload), "Send the next part of a file"},
			{del, uploadsPath + "/{upload_id}", "end-upload", use(contract.AccountSend), noBody, brief, serveTus((*call).endUpload), "Remove what has arrived of a file"},
		}},
		{"documents", "Documents, lists and files.", []row{
			{del, docs + "{document_id}", "delete", may(contract.OpDelete), noBody, lengthy, answerData((*call).deleteDocument), "Delete a draft"},
			{get, docs + "data", "list-inbound", use(contract.AccountLists), noBody, brief, answerData(listBox(store.Inbox)), "Documents sent to the caller"},
			{get, docs + "out", "list-sent", use(contract.AccountLists), noBody, brief, answerData(listBox(store.Outbox)), "Documents that the caller created"},
			{get, docs + "counts", "list-counts", use(contract.AccountLists), noBody, brief, answerData((*call).countList), "How many documents a list has"},
			{get, docs + "contacts", "list-contacts", use(contract.AccountLists), noBody, brief, answerData((*call).listContacts), "People of the caller's documents"},
			{get, docs + "labels", "list-labels", use(contract.AccountLists), noBody, brief, answerData((*call).listLabels), "The labels of the caller's organisation"},
			{put, docs + "labelled", "label-documents", mayForEach(contract.OpLabel), smallJSON, brief, acceptJSON((*call).labelDocuments), "Add and remove labels of several documents"},
			{get, docs + "folders", "list-folders", use(contract.AccountLists), noBody, brief, answerData((*call).listFolders), "The folders of the caller or of a team"},
			{put, docs + "folders", "add-folder", use(contract.AccountFolders), smallJSON, brief, acceptJSON((*call).addFolder), "Create a folder"},
			{put, docs + "folders/{folder_id}", "rename-folder", use(contract.AccountFolders), smallJSON, brief, acceptJSON((*call).renameFolder), "Rename a folder"},
			{del, docs + "folders/{folder_id}", "delete-folder", use(contract.AccountFolders), noBody, brief, answerJSON((*call).deleteFolder), "Delete a folder"},
			{put, docs + "filed", "file-documents", mayForEach(contract.OpFile), smallJSON, brief, acceptJSON((*call).fileDocuments), "Put several documents into a folder"},
			{get, docs + "templates", "list-templates", use(contract.AccountLists), noBody, brief, answerData((*call).listTemplates), "The caller's templates and those of their teams"},
			{get, docs + "archive", "archive", use(contract.AccountLists), noBody, lengthy, serveRaw((*call).sendArchive), "Download several completed files as a ZIP archive"},
			{get, docs + "detail/{document_id}", "detail", may(contract.OpDetail), noBody, brief, answerData((*call).loadDetail), "Everything about a document"},
			{get, docs + "status/{document_id}", "status", may(contract.OpStatus), noBody, brief, showDocument((*call).statusOf), "The progress of a document"},
			{get, docs + "signers/{document_id}", "signers", may(contract.OpSigners), noBody, brief, answerData((*call).loadSigners), "The participants of a document"},
			{get, docs + "placements/{document_id}", "placements", may(contract.OpDetail), noBody, brief, showDocument((*call).placementsData), "The placements on the pages of a document"},
			{get, docs + "audit-trail/{document_id}", "audit-trail", may(contract.OpAuditTrail), noBody, brief, answerData((*call).listEvents), "The events of a document"},
			{get, docs + "events/{document_id}", "events", may(contract.OpEvents), noBody, brief, serveStream((*call).streamEvents), "Follow a document"},
			{get, docs + "preview/{document_id}", "preview", may(contract.OpPreview), noBody, lengthy, sendFile((*workflow.Service).Preview, deliverPreview), "The current revision"},
			{get, docs + "pages/{document_id}", "pages", may(contract.OpPreview), noBody, brief, answerData((*call).listPages), "The sizes of the pages"},
			{get, docs + "page-picture/{document_id}", "page-picture", may(contract.OpPreview), noBody, lengthy, serveRaw((*call).sendPagePicture), "A picture of a page"},
			{get, docs + "download/{document_id}", "download", may(contract.OpDownload), noBody, lengthy, sendFile((*workflow.Service).Download, deliverResult), "Download the completed file"},
			{get, docs + "original/{document_id}", "original", may(contract.OpOriginal), noBody, lengthy, sendFile((*workflow.Service).Original, deliverOriginal), "Download the file as it was uploaded"},
			{get, docs + "evidence/{document_id}", "evidence", may(contract.OpEvidence), noBody, lengthy, sendFile((*workflow.Service).EvidenceCertificate, deliverEvidence), "Download the evidence certificate"},
			{get, docs + "consent/{document_id}", "consent", may(contract.OpConsent), noBody, brief, answerData((*call).loadConsent), "The consent text for the signers of a document"},
		}},
		{"verification", "Verification for anyone, without an account.", []row{
			{post, "/v1/verify", "verify", anybody, fileAny, lengthy, serveTyped[verifyIn, found[verdict.Report]]((*call).verifyFile), "Verify the signatures of a PDF"},
			{post, "/v1/verify/report", "verify-report", anybody, fileAny, lengthy, serveFileFor[verifyIn]((*call).sendVerificationReport), "Verify the signatures of a PDF, with a report as PDF"},
			{get, "/v1/verify/limits", "verify-limits", anybody, noBody, brief, answerData((*call).loadLimits), "How large a file may be that is uploaded or verified"},
			{get, "/v1/verify/serial/{serial}", "verify-serial", anybody, noBody, brief, answerData((*call).lookUpSerial), "Whether a duty stamp was affixed here"},
		}},
		{"administration", "Administration.", []row{
			{get, admin + "people", "admin-people", administer(contract.AdminPeople), noBody, brief, answerData((*call).listPeople), "The accounts"},
			{post, admin + "people", "admin-add-person", administer(contract.AdminAddPerson), smallJSON, brief, acceptJSON((*call).addPerson), "Create an account"},
			{get, admin + "invitations", "admin-invitations", administer(contract.AdminInvitations), noBody, brief, answerData((*call).listInvitations), "The open invitations"},
			{post, admin + "invitations", "admin-invite", administer(contract.AdminInvite), smallJSON, brief, acceptJSON((*call).invitePerson), "Invite a person by mail"},
			{put, admin + "invitations/{invitation_id}/sent", "admin-resend-invitation", administer(contract.AdminInvite), noBody, brief, answerJSON((*call).resendInvitation), "Send an invitation again"},
			{del, admin + "invitations/{invitation_id}", "admin-revoke-invitation", administer(contract.AdminRevokeInvitation), noBody, brief, answerJSON((*call).revokeInvitation), "Revoke an invitation"},
			{post, admin + "people/{person_id}/password", "admin-reset-password", administer(contract.AdminResetPassword), noBody, brief, answerJSON((*call).resetPersonPassword), "Give a person a new initial password"},
			{del, admin + "people/{person_id}/factors", "admin-reset-factors", administer(contract.AdminResetFactors), noBody, brief, answerJSON((*call).resetFactors), "Remove all second factors of an account"},
			{put, admin + "people/{person_id}/name", "admin-rename-person", administer(contract.AdminRename), smallJSON, brief, acceptJSON((*call).renamePerson), "Rename a person"},
			{put, admin + "people/{person_id}/role", "admin-set-role", administer(contract.AdminSetRole), smallJSON, brief, acceptJSON((*call).setPersonRole), "Give a person another role"},
			{put, admin + "people/{person_id}/successor", "admin-transfer-documents", administer(contract.AdminTransfer), smallJSON, lengthy, acceptJSON((*call).transferDocuments), "Give the documents of a person to another person"},
			{get, admin + "people/{person_id}/export", "admin-export-person", administer(contract.AdminExport), noBody, lengthy, serveRaw((*call).exportPersonData), "What is stored about a person"},
			{put, admin + "people/{person_id}/erased", "admin-erase-person", administer(contract.AdminErase), noBody, lengthy, answerJSON((*call).erasePerson), "Erase the data of a person whose account is disabled"},
			{put, admin + "guests/erased", "admin-erase-guest", administer(contract.AdminEraseGuest), smallJSON, lengthy, acceptJSON((*call).eraseGuest), "Erase what is stored about a person without an account"},
			{put, admin + "people/{person_id}/disabled", "admin-disable-person", administer(contract.AdminDisable), noBody, brief, answerJSON((*call).disablePerson), "Disable an account"},
			{del, admin + "people/{person_id}/disabled", "admin-enable-person", administer(contract.AdminEnable), noBody, brief, answerJSON((*call).enablePerson), "Enable a disabled account"},
			{get, admin + "documents", "admin-documents", administer(contract.AdminDocuments), noBody, brief, listAdmin((*query).parseSentQuery, (*workflow.Service).SentDocuments, (*call).sentDocumentsOf), "The documents of an organisation that were sent"},
			{get, admin + "organisations", "admin-organisations", administer(contract.AdminOrganisations), noBody, brief, listAdmin((*query).parseOrganisationQuery, (*workflow.Service).OrganisationList, (*call).organisationsOf), "The organisations"},
			{put, admin + "organisations/{organisation_id}/name", "admin-rename-organisation", administer(contract.AdminRenameOrganisation), smallJSON, brief, acceptJSON((*call).renameOrganisation), "Rename an organisation"},
			{post, admin + "organisations", "admin-add-organisation", administer(contract.AdminAddOrganisation), smallJSON, brief, acceptJSON((*call).addOrganisation), "Create an organisation"},
			{put, admin + "organisations/{organisation_id}/suspended", "admin-suspend-organisation", administer(contract.AdminSetOrganisationState), smallJSON, brief, acceptJSON((*call).suspendOrganisation), "Suspend an organisation"},
			{del, admin + "organisations/{organisation_id}/suspended", "admin-resume-organisation", administer(contract.AdminSetOrganisationState), noBody, brief, answerJSON((*call).resumeOrganisation), "Resume a suspended organisation"},
			{put, admin + "organisations/{organisation_id}/closed", "admin-close-organisation", administer(contract.AdminSetOrganisationState), smallJSON, brief, acceptJSON((*call).closeOrganisation), "Close an organisation for ever"},
			{get, admin + "quota", "admin-quota", administer(contract.AdminQuota), noBody, brief, listAdmin((*query).parseQuotaQuery, (*workflow.Service).Quotas, (*call).quotasOf), "The quotas of organisations"},
			{post, admin + "quota", "admin-grant-quota", administer(contract.AdminGrant), smallJSON, brief, acceptJSON((*call).grantQuota), "Grant quota to an organisation"},
			{get, admin + "quota/ledger", "admin-quota-ledger", administer(contract.AdminLedger), noBody, brief, listAdmin((*query).parseLedgerQuery, (*workflow.Service).QuotaLedger, (*call).ledgerOf), "The movements of quota"},
			{get, admin + "attempts", "admin-attempts", administer(contract.AdminAttempts), noBody, brief, listAdmin((*query).parseAttemptQuery, (*workflow.Service).Attempts, (*call).attemptsOf), "Calls to the stamp office that cost money or cannot be undone"},
			{get, admin + "attempts.csv", "admin-attempts-csv", administer(contract.AdminAttempts), noBody, lengthy, serveRaw((*call).attemptsCSV), "The calls to the stamp office as a spreadsheet"},
			{get, admin + "serials", "admin-serials", administer(contract.AdminSerials), noBody, lengthy, listAdmin((*query).parseSerialQuery, (*workflow.Service).Serials, (*call).serialsOf), "All serials that were ever bought"},
			{get, admin + "serials/{serial}/evidence", "admin-evidence", administer(contract.AdminEvidence), noBody, lengthy, serveRaw((*call).sendEvidence), "The file from the stamp office that was not accepted"},
			{get, admin + "reconciliation", "admin-reconciliation", administer(contract.AdminReconciliation), noBody, lengthy, answerData((*call).loadReconciliation), "The last reconciliation with the stamp office"},
			{post, admin + "reconciliation", "admin-reconcile", administer(contract.AdminReconcile), noBody, endless, answerJSON((*call).reconcileNow), "Reconcile with the stamp office now"},
			{get, admin + "stuck", "admin-stuck", administer(contract.AdminStuck), noBody, brief, listAdmin((*query).parseWaitingQuery, (*workflow.Service).Waiting, (*call).stuckOf), "Documents that make no progress"},
			{post, admin + "stuck/{document_id}/retry", "admin-retry", administer(contract.AdminRetry), noBody, lengthy, answerJSON((*call).retryStuck), "Retry a document that makes no progress, now"},
			{get, admin + "certificates", "admin-certificates", administer(contract.AdminCertificates), noBody, brief, listAdmin((*query).parseCertificateQuery, (*workflow.Service).CertificateList, (*call).certificatesOf), "The certificates of the embedded authority"},
			{get, admin + "branding", "admin-branding", administer(contract.AdminBranding), noBody, brief, answerData((*call).loadBranding), "Logo and colour of an organisation"},
			{put, admin + "branding", "admin-set-branding", administer(contract.AdminSetBranding), pictureJSON, lengthy, acceptJSON((*call).storeBranding), "Replace logo and colour of an organisation"},
			{del, admin + "branding", "admin-delete-branding", administer(contract.AdminDeleteBranding), noBody, brief, answerJSON((*call).deleteBranding), "Remove logo and colour of an organisation"},
			{get, admin + "consent", "admin-consent", administer(contract.AdminConsent), noBody, brief, answerData((*call).loadAdminConsent), "The consent text of an organisation"},
			{put, admin + "consent", "admin-set-consent", administer(contract.AdminSetConsent), smallJSON, brief, acceptJSON((*call).storeConsent), "Change the consent text of an organisation"},
			{get, admin + "labels", "admin-labels", administer(contract.AdminLabels), noBody, brief, answerData((*call).listAdminLabels), "The labels of an organisation"},
			{post, admin + "labels", "admin-add-label", administer(contract.AdminSetLabel), smallJSON, brief, acceptJSON((*call).addLabel), "Create a label"},
			{put, admin + "labels/{label_id}", "admin-set-label", administer(contract.AdminSetLabel), smallJSON, brief, acceptJSON((*call).changeLabel), "Change name and colour of a label"},
			{del, admin + "labels/{label_id}", "admin-delete-label", administer(contract.AdminSetLabel), noBody, brief, answerJSON((*call).deleteLabel), "Delete a label"},
			{get, admin + "reminders", "admin-reminders", administer(contract.AdminReminders), noBody, brief, answerData((*call).loadReminders), "The reminders of an organisation's new documents"},
			{put, admin + "reminders", "admin-set-reminders", administer(contract.AdminSetReminders), smallJSON, brief, acceptJSON((*call).storeReminders), "Replace the reminders of an organisation's new documents"},
			{get, admin + "teams", "admin-teams", administer(contract.AdminTeams), noBody, brief, answerData((*call).listTeams), "The teams of an organisation"},
			{post, admin + "teams", "admin-add-team", administer(contract.AdminSetTeam), smallJSON, brief, acceptJSON((*call).addTeam), "Create a team"},
			{put, admin + "teams/{team_id}/name", "admin-rename-team", administer(contract.AdminSetTeam), smallJSON, brief, acceptJSON((*call).renameTeam), "Rename a team"},
			{del, admin + "teams/{team_id}", "admin-delete-team", administer(contract.AdminSetTeam), noBody, brief, answerJSON((*call).deleteTeam), "Delete a team"},
			{put, admin + "teams/{team_id}/members/{person_id}", "admin-add-team-member", administer(contract.AdminSetTeam), noBody, brief, answerJSON((*call).addTeamMember), "Add a person to a team"},
			{del, admin + "teams/{team_id}/members/{person_id}", "admin-remove-team-member", administer(contract.AdminSetTeam), noBody, brief, answerJSON((*call).removeTeamMember), "Remove a person from a team"},
			{get, admin + "locale", "admin-locale", administer(contract.AdminLocale), noBody, brief, answerData((*call).loadLocale), "The language and the time zone of an organisation"},
			{put, admin + "locale", "admin-set-locale", administer(contract.AdminSetLocale), smallJSON, brief, acceptJSON((*call).storeLocale), "Set the language and the time zone of an organisation"},
			{get, admin + "account-policy", "admin-account-policy", administer(contract.AdminPolicy), noBody, brief, answerData((*call).loadAccountPolicy), "The requirements of an organisation for accounts"},
			{get, admin + "embedding", "admin-embedding", administer(contract.AdminEmbedding), noBody, brief, answerData((*call).loadEmbedding), "The origins whose pages may embed those of an organisation"},
			{put, admin + "embedding", "admin-set-embedding", administer(contract.AdminSetEmbedding), smallJSON, brief, acceptJSON((*call).storeEmbedding), "Set the origins whose pages may embed those of an organisation"},
			{put, admin + "account-policy", "admin-set-account-policy", administer(contract.AdminSetPolicy), smallJSON, brief, acceptJSON((*call).changeAccountPolicy), "Change the requirements of an organisation for accounts"},
			{get, admin + "usage", "admin-usage", administer(contract.AdminQuota), noBody, brief, answerData((*call).loadUsage), "What an organisation uses"},
			{get, admin + "retention", "admin-retention", administer(contract.AdminRetention), noBody, brief, answerData((*call).loadRetention), "For how long an organisation keeps completed documents"},
			{put, admin + "retention", "admin-set-retention", administer(contract.AdminSetRetention), smallJSON, brief, acceptJSON((*call).storeRetention), "Set for how long an organisation keeps completed documents"},
			{get, admin + "retention/due", "admin-due-removals", administer(contract.AdminRetention), noBody, brief, listAdmin((*query).parseOrganisationPage, loadRemovals, (*call).removalsOf), "Completed documents whose files are due to be removed"},
			{get, admin + "holds", "admin-holds", administer(contract.AdminRetention), noBody, brief, listAdmin((*query).parseOrganisationPage, loadHolds, (*call).holdsOf), "The legal holds of an organisation"},
			{post, admin + "holds", "admin-add-hold", administer(contract.AdminHold), smallJSON, brief, acceptJSON((*call).addHold), "Set a legal hold"},
			{put, admin + "holds/{hold_id}/lifted", "admin-lift-hold", administer(contract.AdminLiftHold), smallJSON, brief, acceptJSON((*call).liftHold), "Lift a legal hold"},
			{get, admin + "mail", "admin-mail", administer(contract.AdminMail), noBody, brief, answerData((*call).listMail), "Messages to people, and their results"},
			{get, admin + "mail/{notice_id}", "admin-show-mail", administer(contract.AdminShowMail), noBody, brief, answerData((*call).showMail), "One message, to pass it on"},
			{put, admin + "mail/{notice_id}/ordered", "admin-retry-mail", administer(contract.AdminRetryMail), noBody, brief, answerJSON((*call).retryMail), "Send a message again"},
			{get, admin + "webhooks", "admin-webhooks", administer(contract.AdminWebhooks), noBody, brief, answerData((*call).listWebhooks), "Addresses that the events of an organisation are sent to"},
			{post, admin + "webhooks", "admin-add-webhook", administer(contract.AdminAddWebhook), smallJSON, brief, acceptJSON((*call).addWebhook), "Create a webhook"},
			{put, admin + "webhooks/{webhook_id}", "admin-set-webhook", administer(contract.AdminSetWebhook), smallJSON, brief, acceptJSON((*call).changeWebhook), "Replace the settings of a webhook"},
			{del, admin + "webhooks/{webhook_id}", "admin-delete-webhook", administer(contract.AdminSetWebhook), noBody, brief, answerJSON((*call).deleteWebhook), "Delete a webhook"},
			{post, admin + "webhooks/{webhook_id}/rotate", "admin-rotate-webhook", administer(contract.AdminRotateWebhook), noBody, brief, answerJSON((*call).rotateWebhook), "Give a webhook a new secret"},
			{put, admin + "webhooks/{webhook_id}/test", "admin-test-webhook", administer(contract.AdminTestWebhook), noBody, brief, answerJSON((*call).testWebhook), "Send a test message to a webhook"},
			{get, admin + "webhooks/{webhook_id}/deliveries", "admin-deliveries", administer(contract.AdminWebhooks), noBody, brief, answerData((*call).listDeliveries), "The deliveries to a webhook"},
			{put, admin + "webhooks/{webhook_id}/replay", "admin-replay-webhook", administer(contract.AdminReplayWebhook), smallJSON, brief, acceptJSON((*call).replayWebhook), "Send events again"},
			{get, admin + "keys", "admin-keys", administer(contract.AdminKeys), noBody, brief, answerData((*call).listMemberKeys), "The API keys of an organisation"},
			{del, admin + "keys/{key_id}", "admin-revoke-key", administer(contract.AdminRevokeKey), noBody, brief, answerJSON((*call).revokeMemberKey), "Revoke an API key of a person"},
			{get, admin + "sso", "admin-sso", administer(contract.AdminSSO), noBody, brief, answerData((*call).loadSSO), "The provider of an organisation and its mail domains"},
			{put, admin + "sso", "admin-set-sso", administer(contract.AdminSetSSO), smallJSON, brief, acceptJSON((*call).storeSSO), "Replace the provider of an organisation"},
			{del, admin + "sso", "admin-delete-sso", administer(contract.AdminSetSSO), noBody, brief, answerJSON((*call).deleteSSO), "Remove the provider of an organisation"},
			{put, admin + "sso/tested", "admin-test-sso", administer(contract.AdminTestSSO), smallJSON, lengthy, acceptJSON((*call).testSSO), "Ask the provider of an organisation for its metadata"},
			{put, admin + "sso/domains/{domain}", "admin-claim-domain", administer(contract.AdminClaimDomain), smallJSON, brief, acceptJSON((*call).claimDomain), "Name a mail domain of an organisation"},
			{del, admin + "sso/domains/{domain}", "admin-remove-domain", administer(contract.AdminRemoveDomain), noBody, brief, answerJSON((*call).removeDomain), "Remove a mail domain of an organisation"},
			{put, admin + "sso/domains/{domain}/proven", "admin-prove-domain", administer(contract.AdminProveDomain), smallJSON, lengthy, acceptJSON((*call).proveDomain), "Look for the TXT record that proves a mail domain"},
			{put, admin + "sso/domains/{domain}/granted", "admin-grant-domain", administer(contract.AdminGrantDomain), smallJSON, brief, acceptJSON((*call).grantDomain), "Let a mail domain route logins"},
			{get, admin + "scim", "admin-scim", administer(contract.AdminSSO), noBody, brief, answerData((*call).loadSCIM), "The directory of an organisation and its groups"},
			{put, admin + "scim/secret", "admin-set-scim-secret", administer(contract.AdminSetSSO), smallJSON, brief, acceptJSON((*call).replaceSCIMToken), "Give the directory of an organisation a new secret"},
			{del, admin + "scim/secret", "admin-delete-scim-secret", administer(contract.AdminSetSSO), noBody, brief, answerJSON((*call).deleteSCIMToken), "End the access of the directory of an organisation"},
			{del, admin + "people/{person_id}/provider", "admin-unlink-sso", administer(contract.AdminUnlinkSSO), noBody, brief, answerJSON((*call).unlinkSSO), "Unlink an account from a person at the provider"},
			{get, admin + "audit-log", "admin-audit-log", administer(contract.AdminAuditLog), noBody, lengthy, listAdmin((*query).parseLogQuery, (*workflow.Service).AuditLog, (*call).auditLogOf), "The audit log"},
			{get, admin + "audit-log.csv", "admin-audit-log-csv", administer(contract.AdminAuditLog), noBody, lengthy, serveRaw((*call).auditLogCSV), "The audit log as a spreadsheet"},
			{get, admin + "logins", "admin-logins", administer(contract.AdminAuditLog), noBody, lengthy, listAdmin((*query).parseLoginQuery, (*workflow.Service).Logins, (*call).loginsOf), "Logins, logouts and failed logins"},
			{get, admin + "logins.csv", "admin-logins-csv", administer(contract.AdminAuditLog), noBody, lengthy, serveRaw((*call).loginsCSV), "Logins, logouts and failed logins as a spreadsheet"},
		}},
		{"events", "The events of an organisation's documents, for other systems.", []row{
			{get, "/v1/events", "feed", administer(contract.AdminFeed), noBody, lengthy, serveStream((*call).readFeed).describedBy(found[feedData]{}), "The events of an organisation after a cursor"},
		}},
		{"directory", "Accounts and groups for the directory of an organisation (SCIM 2.0, RFC 7643 and RFC 7644). Its secret is a bearer token; see docs/interface.md.", scimRows()},
		{"service", "The state and the description of the service.", []row{
			{get, "/healthz", "health", anybody, noBody, brief, answerJSON((*call).answerHealth), "Whether the service runs"},
			{get, "/readyz", "ready", anybody, noBody, lengthy, serveTyped[nothing, readyAnswer]((*call).answerReadiness), "Whether the parts that the service depends on answer"},
			{get, "/metrics", "metrics", ownAnswer, noBody, brief, serveRaw((*call).sendMetrics), "Metrics for Prometheus"},
			{get, "/openapi.json", "openapi", anybody, noBody, brief, serveRaw((*call).sendSpecification), "The specification"},
			{get, "/docs", "docs", anybody, noBody, brief, serveRaw((*call).sendManual), "The specification as a page"},
			{get, "/docs.js", "docs-script", anybody, noBody, brief, serveRaw((*call).sendManualScript), "The script of that page"},
		}},
	}
}

// description is what the specification says about an endpoint besides its row in [endpointGroups] and the types of its
// handler.
type description struct {
	text    string
	params  []*huma.Param
	refuses []int                     // statuses besides those that follow from its row
	answers map[string]*huma.Response // of an answer that is not JSON
}

const finalizing = "Freezes participants and placements, reserves the quota for all of it (402 if it does not suffice; then nothing is " +
	"reserved) and starts the work. Finalizing again changes nothing. A stamping order, in which all placements are duty stamps and only " +
	"the owner signs, completes by itself. Stamps that the stamp office would refuse are refused before anything is reserved. A file that " +
	"prints differently than it is displayed, that readers display differently, that loads something from elsewhere or that starts programs is refused " +
	"until the owner accepts each finding by its code (422 document.active_content names each finding in fields). Warnings name the " +
	"placements that lie over text, stamps or signatures."

// descriptions has the descriptions of endpoints by operation ID.
var descriptions = map[string]description{
	"login": {text: "Returns an access token, valid for a day, and a refresh token, which can be used once within thirty days. Wrong credentials are 400; the " +
		"answer is the same for an e-mail without an account. Send the device_token of the previous login: a known device is " +
		"admitted at once while others try passwords on the account. An e-mail may have an account in each organisation: the " +
		"password decides which is meant, and business_id decides if several have the same password. Where the account has a second factor, a right password without it is 403 auth.factor_required, which grants nothing; error.factors " +
		"says what is accepted: send the same request with otp (a code of the authenticator app, or a recovery code) or passkey. A passkey alone, without email and password, logs in too. A wrong otp is 400 and counts like a wrong password.",
		refuses: []int{http.StatusForbidden}},
	"factors":    {text: "Which second factors the account has. While the organisation requires one and the account has none, everything except this, adding one, reading one's account and logging out is 403 auth.must_enrol."},
	"begin-totp": {text: "Takes the current password. Nothing is stored before confirm-totp. 409 factor.exists if there is one.", refuses: []int{http.StatusConflict}},
	"confirm-totp": {text: "The code is used up: it is not accepted again. The answer has the recovery codes of an account that had no second factor. 409 factor.enrolment_ended after 15 minutes.",
		refuses: []int{http.StatusConflict}},
	"remove-totp":           {text: "Takes the current password. 409 factor.needed if it is the last second factor and the organisation requires one.", refuses: []int{http.StatusConflict, http.StatusNotFound}},
	"recovery-codes":        {text: "Takes the current password. The former codes end. 404 for an account without a second factor.", refuses: []int{http.StatusNotFound}},
	"passkey-options":       {text: "Takes the current password. 409 passkey.address if browsers do not allow passkeys under the public address of the service.", refuses: []int{http.StatusConflict}},
	"add-passkey":           {text: "Takes what navigator.credentials.create returned for passkey-options. The answer has the recovery codes of an account that had no second factor.", refuses: []int{http.StatusBadRequest, http.StatusConflict}},
	"rename-passkey":        {params: []*huma.Param{passkeyParam()}, refuses: []int{http.StatusNotFound}},
	"remove-passkey":        {text: "Takes the current password. 409 factor.needed if it is the last second factor and the organisation requires one.", params: []*huma.Param{passkeyParam()}, refuses: []int{http.StatusConflict, http.StatusNotFound}},
	"passkey-login-options": {text: "The same for everyone: they name no account and no passkey. Send what navigator.credentials.get returned as passkey of login or session.", refuses: []int{http.StatusConflict}},
	"passkey-sign-options": {text: "Their challenge covers the documents and digests (docs/formats/challenge.md): the answer of the passkey signs these and no others. Send it as passkey of sign-docs, with the same digest, or of sign-many-docs, " +
		"with the same list as consent.", refuses: []int{http.StatusConflict}},
	"admin-reset-factors": {text: "For a person who lost them. Every token of the account ends; the person logs in with their password. The caller's own are 409: remove them with the password. An account without any stays as it is.",
		params: []*huma.Param{personParam()}, refuses: []int{http.StatusConflict}},
	"refresh": {text: "Answers like login. A refresh token can be used once; using it a second time revokes every token of the same login."},
	"logout":  {text: "Revokes the token and all other tokens of the same login at once, and those of accounts that were logged in to beside it."},
	"forgot-password": {text: "Always reports success, whether the e-mail has an account or not. Each account of the e-mail gets a message with a link, which names its organisation and can be used once within 30 minutes. " +
		"Requests beyond three in ten minutes for one e-mail are not answered with a message."},
	"reauthenticate": {text: "With the password, or with a second factor of the account. For ten minutes after it, and after the login, the session may make dangerous requests, which are otherwise refused with 403 auth.reauthenticate. " +
		"Tries are counted as those of a login."},
	"sessions":           {text: "The one that was used last first."},
	"end-other-sessions": {text: "Their tokens end at once; that of this request stays."},
	"end-session": {text: "Its tokens end at once. 404 for a session that has ended or is another person's.", refuses: []int{http.StatusNotFound},
		params: []*huma.Param{{Name: "session_id", In: "path", Required: true, Description: "UUID of a session.", Schema: textSchema(), Example: "5b0f6c1e-8c55-4b1f-9a39-0f3f5d2f8f10"}}},
	"organisations": {text: "Those that the person logged in to in this client, each with its own password or provider, and whose sessions have not ended; their addresses do not matter."},
	"add-organisation": {text: "Takes the same members as login and refuses the same. The caller's session stays, and both accounts can be switched to from then on. With the cookie of the web app, the cookie is replaced. The session of the new account ends as any other: " +
		"by its expiry, by a new password, when the account is disabled.", refuses: []int{http.StatusConflict}},
	"leave-organisation": {text: "Its session ends at once. 404 switch.not_found for an account that cannot be switched to, and for that of the request: log out instead.", params: []*huma.Param{membershipParam()}, refuses: []int{http.StatusNotFound}},
	"switch": {text: "Issues tokens of another account of the client, with what was proved for it, and ends the former ones of that account. The session keeps its time of login, so the limits of the organisation still apply. 403 auth.factor_required if the " +
		"account has a second factor that was not proved, or its organisation demands one; 403 switch.provider if it demands a login at its provider; 403 organisation.suspended or organisation.closed; 404 switch.not_found for every other organisation.",
		refuses: []int{http.StatusForbidden, http.StatusNotFound}},
	"reset-link":     {text: "The link can still be used afterwards. 404 auth.reset_link_invalid: it was used, has expired, or ended because the password was changed.", refuses: []int{http.StatusNotFound}},
	"reset-password": {text: "Ends the link, every token of the account and its known devices. Other factors of the account stay, and API keys unless end_keys is 1. The rules for new passwords apply.", refuses: []int{http.StatusNotFound}},
	"invitation": {text: "The link can still be used afterwards. The code says why a link gives no access: 404 invitation.used, .revoked, .replaced by a newer one, .expired after seven days, .lapsed because the inviter does not administer " +
		"the organisation any more, or .link_invalid; 403 organisation.suspended or organisation.closed.", refuses: []int{http.StatusForbidden, http.StatusNotFound}},
	"accept-invitation": {text: "Creates the account, with the role of the invitation, and ends the link. Log in afterwards, with the organisation as business_id. The rules for new passwords apply. 409 invitation.provider: the organisation " +
		"accepts no password; the person logs in with its provider, which accepts the invitation too. Refusals of the link as at /v1/auth/invitation.", refuses: []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict}},
	"password": {text: "Revokes every token of the account at once, including the one of this request: log in with the new password."},
	"session": {text: "Takes the same members as login and sets a cookie that scripts cannot read. Requests with this cookie are accepted only from our own " +
		"pages. Logout ends it. A second cookie, which stays, lets the next login from this browser be admitted at once while others " +
		"try passwords on the account."},
	"begin-sso": {text: "The answer depends only on the domain of the address. For a domain with a provider it sets a cookie that binds the login to this browser for ten minutes; send the browser to url. " +
		"503 sso.provider_unavailable while the provider does not answer."},
	"sso-factor": {text: "Only for browsers, after finish-sso has sent the person to the login page with the accepted second factors in the query parameter factors: sets the session cookie. The login waits for ten minutes; then it is 400 sso.login_lost. Wrong factors are refused as at /v1/auth/session."},
	"finish-sso": {text: "Only for browsers. Redirects to the web app, with a session cookie, or with the code of the refusal in the query parameter sso of the login page.",
		params:  []*huma.Param{organisationPath()},
		answers: map[string]*huma.Response{"303": {Description: "To the web app."}}},
	"provider-logout": {text: "Back-channel logout of OpenID Connect: a form with logout_token. 400 for a token that is not valid or was used before.",
		params: []*huma.Param{organisationPath()}, answers: map[string]*huma.Response{"200": {Description: "The sessions have ended."}}},
	"guest": {text: "Returns a token that is used like any other, for detail, status, preview, sign, reject and download of the one document. A link that is not valid is 404; error.code says whether a newer one replaced it " +
		"(guest.link_replaced), the owner revoked it (guest.link_revoked), or it expired (guest.link_expired)."},
	"list-users": {text: "Users of the caller's organisation, by name.", params: pageParams(directoryLimit)},
	"suggest-guests": {text: "From the 500 newest documents that the caller created, so that a guest does not have to be typed again. What other members entered is not shown.",
		params: pageParams(directoryLimit)[2:]},
	"specimen":        {text: "PNG or JPEG as it was stored; 404 if there is none.", params: specimenParams(), refuses: []int{http.StatusNotFound}, answers: pictureAnswer()},
	"put-specimen":    {text: "The body is the picture itself, PNG or JPEG by its content, of at most 1 MiB. It is shown as dark strokes on a transparent ground; a picture without recognisable strokes is 422.", params: specimenParams(), refuses: []int{http.StatusUnsupportedMediaType}},
	"delete-specimen": {params: specimenParams()},
	"avatar": {text: "Drawn only from the address: its colour from the id, its letters from the query. Needs no token.", answers: textAnswer("image/svg+xml", "The picture."), params: []*huma.Param{
		{Name: "id", In: "path", Required: true, Description: "Any text; the UUID of a person.", Schema: textSchema()},
		{Name: "initials", In: "query", Description: "Up to two letters.", Schema: textSchema(), Example: "SR"},
	}},
	"logo": {text: "PNG or JPEG. The address is in detail and pages of the organisation's documents, and what it shows never changes; 404 once the organisation has another logo. Needs no token.",
		params: []*huma.Param{{Name: "logo", In: "path", Required: true, Description: "From the address in detail.", Schema: textSchema()}}, refuses: []int{http.StatusNotFound}, answers: pictureAnswer()},

	"upload": {text: "Creates a draft from a file in base64. The type of the file is recognised by its content. A Word document is converted. If that takes longer than the " +
		"request waits, fields can be placed later, see placement-docs.", refuses: []int{http.StatusUnsupportedMediaType}},
	"upload-multipart": {text: "The same as multipart/form-data: the file is the part document; signer and guest are JSON.", refuses: []int{http.StatusUnsupportedMediaType}},
	"begin-upload": {text: "Creates an upload of Upload-Length bytes (tus 1.0.0, extension creation). Location is its address, relative to this one; the answer has the same members as " +
		"upload-progress. Upload-Metadata may have filename and sha256 (of the whole file, in hex), in Base64. The upload belongs to the caller and can be continued until Upload-Expires.",
		params:  []*huma.Param{tusParam, tusHeader("Upload-Length", "Bytes of the whole file.", true), tusHeader("Upload-Metadata", "Such as: filename c2V3YS5wZGY=", false)},
		refuses: []int{http.StatusPaymentRequired, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}, answers: tusAnswer(http.StatusCreated, "Created.")},
	"upload-progress": {text: "HEAD answers only the headers of tus (Upload-Offset, Upload-Length, Upload-Expires), with Tus-Resumable in the request.",
		params: []*huma.Param{uploadParam}, refuses: []int{http.StatusNotFound, http.StatusPreconditionFailed}},
	"continue-upload": {text: "Appends the body to the upload, which must end at Upload-Offset (else 409). Upload-Offset of the answer says how much is stored; what arrived before the connection was cut is stored " +
		"too, in parts of at most 1 MiB. A part that is not the last one has at least 16 KiB. The first part is refused if the file is neither PDF nor Word.",
		params:  []*huma.Param{uploadParam, tusParam, tusHeader("Upload-Offset", "Where the part begins.", true)},
		refuses: []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnsupportedMediaType}, answers: tusAnswer(http.StatusNoContent, "Stored.")},
	"end-upload": {text: "Removes what has arrived (extension termination). A document that was made from it stays.",
		params: []*huma.Param{uploadParam, tusParam}, refuses: []int{http.StatusNotFound, http.StatusPreconditionFailed}, answers: tusAnswer(http.StatusNoContent, "Removed.")},
	"verify-limits": {text: "For clients that want to know before they send a file."},

	"participants": {text: "Placements of participants who are removed are removed too."},
	"describe":     {text: "Members that are missing keep their value."},
	"place": {text: "Only a draft accepts placements; placing again replaces all of them. The box is taken from sign for the types sign and paraf if given, else from emet if it has an " +
		"area, else from props. A duty stamp is the largest centred square of its box, 40 to 200 points."},
	"finalize": {text: finalizing, refuses: []int{http.StatusPaymentRequired}},
	"process":  {text: finalizing, refuses: []int{http.StatusPaymentRequired}},
	"guest-link": {text: "Creates a link for a guest and revokes the previous one. The audit trail records that the owner passed it on and that neither a mailbox nor a phone number was verified. The link is valid " +
		"until it is replaced or revoked, or for some time after the document ended."},
	"embed": {text: "Only for the owner, and with API keys of the scope documents:write. The address can be opened once, in a frame of a page of one of the origins, within ten minutes, and the page then lasts an hour. " +
		"It ends with the session or the key that asked for it. A guest enters the codes that the owner demands; a person with an account gives their password, and the second factor of the account, to sign. " +
		"The audit trail has who asked for it. docs/embedding.md describes the messages of the page. 409 embed.no_origins if the organisation lists no origin.", refuses: []int{http.StatusConflict}},
	"open-embedded": {text: "For the page itself. An address that is not valid is 404; error.code says whether it was used (embed.address_used), has expired (embed.address_expired) or ended (embed.address_ended), " +
		"or else embed.address_invalid. 403 embed.origin for a page of another origin. 409 if the person cannot do now what it is for.", refuses: []int{http.StatusNotFound, http.StatusForbidden, http.StatusConflict}},
	"guest-revoke":  {text: "Revokes the link and every token that was opened with it at once, in every state of the document. Succeeds too if there is no link. guest-link-docs creates a new one."},
	"correct-guest": {text: "For a guest who has not acted yet. If messages reach the guest in another place afterwards, all links and tokens of the guest end at once, and a guest whose turn has come is invited there."},
	"guest-account": {text: "For guests who entered a code from their mailbox in this session, where the operator allows it (`SEGEL_GUEST_ACCOUNTS`): creates an account with that address in a separate organisation. " +
		"Its inbox has the documents that name the address as a guest's, from every organisation; items with `as_guest` are opened with `guest-document`. A mailbox has one such account. The senders of documents are not told.",
		refuses: []int{http.StatusConflict}},
	"guest-document": {text: "For accounts that guests created: opens a document of the inbox that names the account's mailbox as a guest's. The token is that of the guest, as of `/v1/auth/guest`: it permits the same, needs the same codes, " +
		"and ends with the caller's session. A document that does not name the mailbox is 404, as one that does not exist."},
	"guest-code": {text: "For guests: sends a code of six digits to their mailbox or phone. It can be entered for 15 minutes and five times, in this session or another one of the same guest, and for the current revision only. " +
		"A newer code replaces it. 429 within a minute of the last code and after ten in a day; 409 guest.no_mailbox if no mail server is configured, guest.no_phone if no provider is. detail says in code whether one is needed.", refuses: []int{http.StatusTooManyRequests}},
	"guest-verify": {text: "For guests: with the right code, the session of this token may read and sign. A wrong one is 422 guest.code_wrong with the number of tries that are left; one that has expired, was used, replaced or tried too often " +
		"is 409 guest.code_ended."},
	"sign": {text: "Signs the current revision with the caller's certificate. Signing out of turn is 409. The log records which pages of which revision the service showed the signer, " +
		"if digest and pages_shown are given, and otherwise that it showed none."},
	"sign-many": {text: "Signs each document as sign-docs does, one after the other, with one consent over the list of their digests. One refusal does not stop the others; the answer is 200 and has a result for each document. " +
		"A document that is named twice is 422, and nothing is signed. A repeat, with or without an Idempotency-Key, signs no document twice: a revision that the caller signed before is reported as signed. " +
		"While a result is retryable, the answer is not kept for the Idempotency-Key, and a repeat continues with the rest. The log records for each signature the number of documents and the digest of the list."},
	"approve": {text: "Records that the caller, an approver whose turn it is, approves the revision with this digest. Nothing is added to the file. The rules and proofs are those of sign-docs; a signer is refused (403 document.not_approver), " +
		"and so is an approver who signs (403 document.approver). An approver declines with reject-docs."},
	"specimen-preview": {text: "Returns the strokes that sign-docs would show for the same picture. Nothing is signed and nothing is stored. A picture without recognisable strokes is 422."},
	"delegate": {text: "Where the owner allows it (delegation), a signer whose turn it is passes their signature and their boxes to another person, who is invited, and stays on the document as a viewer. " +
		"A person with an account of the organisation takes part with it; others are guests. A person to whom a part was passed cannot pass it on again (409 delegation.once). " +
		"Guests who have to enter a code before they sign have to enter it first (403 guest.code_required)."},
	"reject": {text: "A signer ends the document while their signature is outstanding, in turn or not. A reason is required."},
	"cancel": {text: "The owner, or a member of its team who may act for them, ends the document while signatures are outstanding, or after it failed. Quota that was reserved and not spent is released."},
	"remind": {text: "Orders a message to those whose turn it is to sign and who have an address, and records it. The audit trail records each message that was sent."},
	"restamp": {text: "Returns a failed document to processing, with the serials it has: no unit is spent twice. With new_serial, another serial is used instead, if the stamp office now " +
		"reports the refused one as unused; the refused one is then used for another document."},
	"retry": {text: "The service retries by itself, after growing pauses; this ends the pause. 409 if the document does not wait for the service; restamp-docs resumes a document that failed."},
	"copy": {text: "Makes a draft of a completed, rejected, canceled or expired document: the file as it was uploaded, without signatures, stamps or seal, its people and their boxes. The file is examined and " +
		"counted like an upload (402 if the organisation has too many drafts or bytes). Guests get new links. A deadline that has passed is left out. 409 for a document that has not ended.",
		refuses: []int{http.StatusPaymentRequired}},
	"make-template": {text: "Makes a template of a document in any state: the file as it was uploaded, its title, settings, people and boxes. A template is never sent; use-template-docs makes drafts from it. " +
		"It belongs to the caller and has no deadline; team, or team-docs later, shares it. A person who is named in placeholders becomes a role, such as Tenant, that a person fills later. The file is examined and counted like an upload: a template counts as a draft (402).",
		refuses: []int{http.StatusPaymentRequired}},
	"use-template": {text: "The draft has the file, settings, people and boxes of the template. It belongs to the caller and is shared with no team, unless the request names one of theirs. fill names people for the placeholders of the template; the others are named later, with fills in " +
		"participants-docs, and finalize-docs is 422 document.placeholders until then. A member whose account ended becomes a placeholder. 409 document.not_template for a document. The file is examined and counted like an upload (402).",
		refuses: []int{http.StatusPaymentRequired}},

	"delete":       {text: "Returns the last state of the document."},
	"list-inbound": {text: "Newest first, unless sort says otherwise. A page out of range is empty.", params: listParams()},
	"list-sent":    {text: "Newest first, unless sort says otherwise. A page out of range is empty.", params: listParams()},
	"list-counts":  {text: "By status, with the same filters as the list. type is in by default.", params: countParams()},
	"list-contacts": {text: "Up to 20 owners and participants of the caller's newest 500 received and 500 sent documents, without the caller; those of the newest documents first.",
		params: []*huma.Param{{Name: "search", In: "query", Description: "Part of the name or the e-mail, ignoring letter case.", Schema: textSchema()}}},
	"list-labels": {text: "All of them, by name. Admins change them (admin-labels)."},
	"label-documents": {text: "Each document has its own result, and a refusal does not stop the others. Owners label their documents, and so do members of their team who may act for them. An unknown label in add is 404 label.not_found, one in remove has no effect. " +
		"Guests and people of other organisations never see labels. A repeat changes nothing more.", refuses: []int{http.StatusNotFound}},
	"list-folders":   {text: "All of them, by name. Only the caller sees their own; the members of a team see those of the team.", params: []*huma.Param{folderTeamParam()}, refuses: []int{http.StatusNotFound}},
	"add-folder":     {text: "If the caller, or the team, has a folder with this name, in any case of letters, the answer is that one. 409 folder.too_many beyond 200. Members of a team change its folders if their role includes sending documents.", refuses: []int{http.StatusConflict, http.StatusNotFound}},
	"rename-folder":  {text: "409 folder.exists if another folder has the name.", params: []*huma.Param{folderParam()}, refuses: []int{http.StatusConflict, http.StatusNotFound}},
	"delete-folder":  {text: "Its documents stay in their lists.", params: []*huma.Param{folderParam()}, refuses: []int{http.StatusNotFound}},
	"file-documents": {text: "Each document has its own result, and a refusal does not stop the others. A document is in at most one folder of the caller, and in one of its team. 404 folder.not_found for a folder of others. A repeat changes nothing more.", refuses: []int{http.StatusNotFound}},
	"list-templates": {text: "The newest first, unless sort says otherwise. No other list has templates. 404 team.not_found for a team of others.", params: append(pageParams(listLimit),
		&huma.Param{Name: "team", In: "query", Description: "UUID of a team of the caller: only those that are shared with it.", Schema: textSchema()},
		choiceParam("sort", "created: the newest first; title: from A to Z.", templateOrders)), refuses: []int{http.StatusNotFound}},
	"archive": {text: "The files as download sends them, one after another, under the titles of the documents. The archive has a text file that names the documents that cannot be downloaded, " +
		"with the reasons; a document that the caller may not see is reported as one that does not exist. 409 if none can be downloaded, 410 if the files of all were removed.",
		params: archiveParams(), refuses: []int{http.StatusConflict, http.StatusGone}, answers: archiveAnswer()},
	"status":      {text: "For polling; events reports the same without polling."},
	"audit-trail": {text: "Oldest first. For the owner, the members of the team of the document, and auditors of its organisation once it was sent."},
	"events": {text: "Server-sent events named progress: the state of the document, at once and after every change. The last one reports a final state; requesting it again after that is answered 204.",
		params: []*huma.Param{{Name: "Last-Event-ID", In: "header", Description: "The id of the last event that was received.", Schema: textSchema()}}},
	"preview": {text: "PDF, inline, with Range and ETag. A viewer's first request is recorded as their view.", refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},
	"pages":   {text: "Of the current revision, with its digest. Counts as a view, like preview."},
	"page-picture": {text: "PNG or JPEG, as the page is displayed, of any revision of the document that digest names; for looking at a page before the file has arrived. The header Page-Size has its width and height in points. 404 " +
		"page.no_picture if pages are not drawn here, or not this one: show it from preview then.", params: pictureParams(), refuses: []int{http.StatusNotFound}, answers: pictureAnswer()},
	"download": {text: "PDF as an attachment, with Range and ETag. 409 while active_download_button is false.", refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},
	"evidence": {text: "Who was invited how, what each person signed, when and from where, and what was verified about them: a sealed PDF/A-3 in Indonesian and English with the same facts and a proof of the " +
		"audit log attached (docs/formats/evidence.md). As an attachment, with Range and ETag. 409 while active_download_button is false. The first request makes it if the service has not yet.",
		refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},
	"original": {text: "As an attachment, with Range and ETag. For the owner and the members of the team of the document.", refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},

	"verify": {text: "Any PDF, without an account. As JSON with the file in base64, or as multipart/form-data with the part document. Nothing of it is stored. The terms are those of " +
		"ETSI EN 319 102-1; docs/validation.md lists what is checked.", refuses: []int{http.StatusUnsupportedMediaType}},
	"verify-report": {text: "As verify; the answer is the report in the language of the request, as an attachment. The report itself is not signed. Of a report of more than 4,000 lines or about 150 pages it has the beginning, and says so.",
		refuses: []int{http.StatusUnsupportedMediaType}, answers: map[string]*huma.Response{"200": {Description: "The report.", Content: map[string]*huma.MediaType{pdfType: {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}}},
	"verify-serial": {text: "What anyone who has the printed document may know: that the serial was affixed here, when, and whether it is a specimen. Reveals nothing about the document.",
		params: []*huma.Param{serialParam()}, refuses: []int{http.StatusNotFound}},

	"admin-people":      {text: "By name.", params: adminParams(pageParams(adminLimit)[2], choiceParam("status", "Only accounts with this status; active includes those with an initial password.", accountStatuses))},
	"admin-add-person":  {text: "The password is random and shown only once. Takes a recent proof (403 auth.reauthenticate).", refuses: []int{http.StatusConflict}},
	"admin-invitations": {text: "The newest first, with those that have expired.", params: adminParams()},
	"admin-invite": {text: "Mails a link that can be used once, within seven days. Inviting an address again replaces its invitation. Takes a recent proof (403 auth.reauthenticate). The invitation lapses when the inviter does not " +
		"administer the organisation any more, and while the organisation is suspended. 409 invitation.has_account: the address has an account in the organisation. 429: too many, three at once and one in ten minutes for an address.",
		refuses: []int{http.StatusConflict, http.StatusTooManyRequests}},
	"admin-resend-invitation": {text: "With another link and another seven days; the former link ends. The caller becomes the inviter. Takes a recent proof (403 auth.reauthenticate).", params: []*huma.Param{invitationParam()}, refuses: []int{http.StatusConflict, http.StatusTooManyRequests}},
	"admin-revoke-invitation": {text: "Its link gives no access from then on.", params: []*huma.Param{invitationParam()}},
	"admin-labels":            {text: "By name.", params: []*huma.Param{organisationParam()}},
	"admin-add-label":         {text: "409 label.exists if another label has the name, in any case of letters; label.too_many beyond 100.", refuses: []int{http.StatusConflict}},
	"admin-set-label":         {text: "Documents keep it. 409 label.exists as above.", params: []*huma.Param{labelParam()}, refuses: []int{http.StatusConflict}},
	"admin-delete-label":      {text: "All documents lose it.", params: []*huma.Param{labelParam()}},
	"admin-reset-password": {text: "The password is random and shown only once. Every token of the account ends at once, and until the person has chosen their own password, only " +
		"changing it, asking who they are and logging out work for them. The caller's own password is 409: change it with the present one.",
		params: []*huma.Param{personParam()}, refuses: []int{http.StatusConflict}},
	"admin-rename-person": {text: "What was signed and logged keeps the name that it was signed and logged with. The next certificate has the new one.", params: []*huma.Param{personParam()}},
	"export-own-data": {text: "A ZIP archive with one file of JSON for each kind of record, each an array of objects. Documents are named, and their files are not in it. Needs a recent proof of who the caller is.",
		answers: archiveAnswer()},
	"admin-export-person": {text: "As export-own-data, without what only the person may see: drafts, documents that name their mailbox as a guest's, and the pictures of their signature and initials.",
		params: []*huma.Param{personParam()}, answers: archiveAnswer()},
	"erase-own-account": {text: "For ever: name, address, password, second factors, keys, sessions, drafts, pictures and the record of logins. What proves who signed remains: signed files, people on documents that were sent, " +
		"and the audit log. Needs a recent proof. 409 person.owns_documents while the caller owns documents that were sent: an admin transfers them first (admin-transfer-documents). 409 person.last_admin.",
		refuses: []int{http.StatusConflict}},
	"admin-erase-person": {text: "As erase-own-account, of a person whose account is disabled (409 person.not_disabled). Repeating it continues with what is left; the service does the same every minute. Needs a recent proof.",
		params: []*huma.Param{personParam()}, refuses: []int{http.StatusConflict}},
	"admin-erase-guest": {text: "By their address or their phone number, within one organisation. Guests are removed from drafts; name, address and phone number are removed from documents that ended before anyone signed; invitations are " +
		"deleted, and the person is not suggested any more. Documents that were signed or are in progress keep them. The answer does not say whether the address or number was known. Needs a recent proof."},
	"admin-set-role": {text: "member: signs and reads the documents that name them. sender: also sends documents. admin: also administers the organisation. auditor: a member who also reads what is recorded about " +
		"the organisation and its documents, without their files. In effect at the next request of the person. The caller's own account, and another role for the last admin, are 409.",
		params: []*huma.Param{personParam()}, refuses: []int{http.StatusConflict}},
	"admin-documents": {text: "Newest first, without drafts. Admins see what the list says; auditors may also read detail, status, signers and audit-trail of each.",
		params: adminParams(pageParams(adminLimit)[2], choiceParam("status", "Only documents with this status.", sentStates),
			ownerParam())},
	"admin-transfer-documents": {text: "Drafts and sent documents in every state, at most 100 with one request: repeat it until left is 0. Signers, links and deadlines stay as they are. The former owner keeps only documents " +
		"that name them as a participant. 409 transfer.no_successor for a person who cannot own documents of the organisation.", params: []*huma.Param{personParam()}, refuses: []int{http.StatusConflict}},
	"admin-disable-person": {text: "Every token of the account ends at once, a login answers like a wrong password, and the signer directory leaves the person out. Documents that wait for the person go on " +
		"waiting: open_signatures counts them. The caller's own account, and the last admin of an organisation, are 409. Disabling again changes nothing.",
		params: []*huma.Param{personParam()}, refuses: []int{http.StatusConflict}},
	"admin-enable-person": {text: "The person logs in with the password that they had. Enabling again changes nothing.", params: []*huma.Param{personParam()}},
	"admin-organisations": {text: "Only for operators. By name.", params: append(pageParams(adminLimit)[:2:2], pageParams(adminLimit)[2])},
	"admin-rename-organisation": {text: "Only for operators. What was signed, sealed and logged keeps the former name; the next certificate of the seal has the new one. 409 if another organisation has the name.",
		params: []*huma.Param{pathOrganisationParam()}, refuses: []int{http.StatusConflict}},
	"admin-add-organisation": {text: "Only for operators. It has no people and no quota yet. 409 if another organisation has the name.", refuses: []int{http.StatusConflict}},
	"admin-suspend-organisation": {text: "Only for operators. From their next request on, its people, their API keys and the guests of its documents are answered 403 organisation.suspended. Work that was ordered before is completed; " +
		"docs/decisions/0062-organisations.md has the list. Suspending again changes nothing.", params: []*huma.Param{pathOrganisationParam()}, refuses: []int{http.StatusConflict}},
	"admin-resume-organisation": {text: "Only for operators. Sessions, links and API keys that have not expired meanwhile work again. Resuming again changes nothing; 409 for one that was closed.",
		params: []*huma.Param{pathOrganisationParam()}, refuses: []int{http.StatusConflict}},
	"admin-close-organisation": {text: "Only for operators. Like a suspension, but permanent. name repeats the name of the organisation. Its documents, evidence and log stay. Closing again changes nothing.",
		params: []*huma.Param{pathOrganisationParam()}, refuses: []int{http.StatusConflict}},
	"admin-quota":       {text: "By name of the organisation.", params: adminParams(pageParams(adminLimit)[2])},
	"admin-grant-quota": {text: "Only for operators. A negative count takes quota back."},
	"admin-quota-ledger": {text: "Newest first.", params: adminParams(choiceParam("unit", "Only this unit.", units),
		timeParam("from", "Only entries made at this time or later; ISO 8601 with a zone."), timeParam("until", "Only entries made before this time; ISO 8601 with a zone."))},
	"admin-attempts": {text: "Newest first.", params: adminParams(attemptParams()...)},
	"admin-attempts-csv": {text: "Suitable for a refund claim. No cell is interpreted as a formula.",
		params: append([]*huma.Param{organisationParam()}, attemptParams()...), answers: textAnswer("text/csv", "The attempts, oldest first.")},
	"admin-serials": {text: "Most recently changed first. Only operators see serials without an organisation.",
		params: adminParams(choiceParam("state", "Only serials in this state.", serialStates), documentParam(),
			&huma.Param{Name: "serial", In: "query", Description: "Only this serial.", Schema: textSchema()})},
	"admin-evidence": {text: "The last file that the stamp office returned for a serial, as an attachment, with Range and ETag: for a complaint to the stamp office. 404 if nothing is stored.",
		params: []*huma.Param{serialParam()}, answers: fileAnswer()},
	"admin-reconciliation": {text: "Admins and auditors see the differences of their own organisation."},
	"admin-reconcile":      {text: "Only for operators. If the stamp office cannot be reached, the report names the problem.", refuses: []int{http.StatusConflict}},
	"admin-stuck": {text: "Documents that have waited for the service for a minute or longer, and those that failed, oldest first; and whether the clock of the service is reliable, without which nothing is signed.",
		params: adminParams(pageParams(adminLimit)[2], choiceParam("status", "failed: only those that failed.", stuckStatuses),
			choiceParam("step", "Only documents that wait for this step, or failed in it.", contract.WaitingSteps), ownerParam())},
	"admin-retry": {text: "A waiting document is tried at once; a failed one is resumed as by its owner's restamp, with the serials it has.", refuses: []int{http.StatusConflict}},
	"admin-certificates": {text: "Those that expire first come first.", params: adminParams(choiceParam("standing", "Only certificates with this status.", certificateStatuses),
		&huma.Param{Name: "serial", In: "query", Description: "Only the certificate with this serial number, in hexadecimal.", Schema: textSchema()})},
	"admin-branding": {text: "Guests see it on the pages of the organisation's documents, and signatures show it.", params: []*huma.Param{organisationParam()}},
	"admin-set-branding": {text: "Replaces both. The logo is PNG or JPEG by its content; it is decoded and encoded again. SVG is 415. Signatures made before keep what they show.",
		refuses: []int{http.StatusUnsupportedMediaType}},
	"consent":             {text: "Signers accept it before their first signature for the organisation: sign-docs takes its version and the digest of the text that they read."},
	"admin-consent":       {text: "The text that signers of its documents accept now.", params: []*huma.Param{organisationParam()}},
	"admin-set-consent":   {text: "Earlier versions stay as they are: signatures refer to them."},
	"admin-reminders":     {text: "A document whose upload says nothing about reminders gets them.", params: []*huma.Param{organisationParam()}},
	"admin-set-reminders": {text: "Existing documents keep theirs."},
	"team": {text: "Only for the owner. The members of the team see the document in every state, with its file and its audit trail; the addresses of its people if they are not hidden. Members whose role includes sending documents " +
		"see these always and may do what the owner may, except share it, delete it, hand out links of guests and create addresses of embedded pages. 404 team.not_found for a team of which the caller is not a member."},
	"admin-teams":              {text: "With their members.", params: []*huma.Param{organisationParam()}},
	"admin-add-team":           {text: "It has no members yet. An organisation has at most 100 teams. 409 if another one has the name.", refuses: []int{http.StatusConflict}},
	"admin-rename-team":        {text: "409 if another team has the name.", params: []*huma.Param{teamParam()}, refuses: []int{http.StatusConflict}},
	"admin-delete-team":        {text: "Its documents stay with their owners, and from then on only they and the people of each document see them.", params: []*huma.Param{teamParam()}},
	"admin-add-team-member":    {text: "They see all documents of the team from their next request on. Adding a member again changes nothing.", params: []*huma.Param{teamParam(), personParam()}, refuses: []int{http.StatusConflict}},
	"admin-remove-team-member": {text: "From their next request on they do not see documents that they do not own or take part in. Their own documents stay in the team.", params: []*huma.Param{teamParam(), personParam()}},
	"admin-locale":             {text: "Messages, evidence certificates, signatures on pages and the hours without reminders follow them.", params: []*huma.Param{organisationParam()}},
	"admin-set-locale":         {text: "Replaces both. Members that are missing are reset."},
	"admin-usage":              {text: "From counters that the same commits update as the documents.", params: []*huma.Param{organisationParam()}},
	"admin-retention": {text: "Files of a completed document are removed so many years after its completion, at least 30 days after its owner was told. Its records, its digests, and the register of duty stamps remain.",
		params: []*huma.Param{organisationParam()}},
	"admin-set-retention": {text: "Owners are told again before anything is removed under the new period."},
	"admin-due-removals":  {text: "Those that are due within the next 62 days, the oldest completion first, also those that a legal hold covers.", params: adminParams()},
	"admin-holds":         {text: "Those that last, the newest first.", params: adminParams()},
	"admin-add-hold": {text: "While it lasts, nothing that it covers is deleted, erased or removed (409 hold.held). With document_id it covers one document of the organisation, otherwise all of them and the accounts of its people. " +
		"409 hold.too_many beyond 10,000.", refuses: []int{http.StatusConflict}},
	"admin-lift-hold":      {text: "Takes a recent proof. 404 hold.not_found if it was lifted before.", params: []*huma.Param{holdParam()}},
	"admin-embedding":      {params: []*huma.Param{organisationParam()}},
	"admin-set-embedding":  {text: "Replaces all origins. Pages that are open in an origin that is missing now end with their next request."},
	"admin-account-policy": {text: "The limits apply to the sessions of the web app and to the tokens of programs alike.", params: []*huma.Param{organisationParam()}},
	"admin-set-account-policy": {text: "Members that are missing stay as they are. A limit applies to sessions that exist too, from their next request on. A use is recorded at most every five minutes, or every tenth of a shorter " +
		"idle limit: a session ends at most that much earlier than the limit says."},
	"admin-delete-branding": {params: []*huma.Param{organisationParam()}},
	"admin-mail": {text: "Newest first. Without a mail server, messages are kept: an operator reads them and passes them on.",
		params: adminParams(choiceParam("status", "Only messages with this status.", contract.NoticeStates), documentParam())},
	"admin-show-mail":  {text: "Only for operators. The link of a guest opens the document; the audit trail says that an operator handed it out.", params: []*huma.Param{noticeParam()}},
	"admin-retry-mail": {text: "Sends a message that failed, was kept or was dropped. One that was sent is not sent again.", params: []*huma.Param{noticeParam()}, refuses: []int{http.StatusConflict}},
	"admin-audit-log":  {text: "Newest first. Admins and auditors see the events of the documents of their organisation, and what was done to its accounts.", params: adminParams(logParams()...)},
	"admin-logins":     {text: "Newest first, for 180 days. Failed logins are counted by account, network and hour. Those of e-mails without an account are shown only to operators, without the e-mail.", params: adminParams(loginParams()...)},
	"admin-logins-csv": {text: "The same records as admin-logins. No cell is interpreted as a formula.",
		params: append([]*huma.Param{organisationParam(), languageParam("the descriptions")}, loginParams()...), answers: textAnswer("text/csv", "The records, oldest first.")},
	"admin-audit-log-csv": {text: "The same events as admin-audit-log. No cell is interpreted as a formula.",
		params: append([]*huma.Param{organisationParam(), languageParam("the descriptions")}, logParams()...), answers: textAnswer("text/csv", "The events, oldest first.")},

	"admin-webhooks": {text: "docs/webhooks.md describes the messages.", params: []*huma.Param{organisationParam()}},
	"admin-add-webhook": {text: "Events from now on are sent to it. The answer has the secret that signs the messages, which is shown only once. An organisation has at most 20 webhooks.",
		refuses: []int{http.StatusConflict}},
	"admin-set-webhook": {text: "Members that are missing are reset. A webhook that is enabled again is sent the events since it was disabled.",
		params: []*huma.Param{webhookParam()}, refuses: []int{http.StatusConflict}},
	"admin-delete-webhook": {text: "The record of its deliveries is deleted too.", params: []*huma.Param{webhookParam()}},
	"admin-rotate-webhook": {text: "The answer has the new secret, which is shown only once. For 24 hours messages are also signed with the former one.",
		params: []*huma.Param{webhookParam()}, refuses: []int{http.StatusConflict}},
	"admin-test-webhook": {text: "Orders a message of type webhook.test, which is sent once, to a disabled webhook too. Its delivery shows the result.", params: []*huma.Param{webhookParam()}},
	"admin-deliveries": {text: "Newest first. Kept for 30 days after they ended.",
		params: append(pageParams(adminLimit)[:2:2], webhookParam(), choiceParam("status", "Only deliveries with this status.", contract.DeliveryStates), documentParam())},
	"admin-replay-webhook": {text: "Either one delivery by its id, with the body that it had, or every event since a time, as far as the webhook selects it now. Receivers recognise repeated messages by webhook-id.",
		params: []*huma.Param{webhookParam()}},

	"keys": {text: "Keys that were revoked or have expired stay in the list.", params: append(pageParams(adminLimit)[:2:2], keyFilterParams("Part of a key's name or of how it begins.")...)},
	"create-key": {text: "The key acts as the person who makes it, within its scopes. The answer has its secret, which is shown only once. A key is accepted wherever an access token is, and makes no other key. " +
		"A person has at most 50 keys that have not ended.", refuses: []int{http.StatusConflict}},
	"revoke-key": {text: "Ends the key and its access tokens at once. Revoking it again changes nothing.", params: []*huma.Param{keyParam()}, refuses: []int{http.StatusNotFound}},
	"token": {text: "OAuth 2.0 client credentials (RFC 6749, section 4.4): client_id is the id of an API key, client_secret the key. The client authenticates in the header (Basic) or in the body. " +
		"The access token is valid for an hour at most and ends with the key. scope selects some of the scopes of the key. Refusals have the form of RFC 6749, section 5.2.", refuses: []int{http.StatusUnauthorized}},
	"oauth-metadata": {text: "Authorization server metadata (RFC 8414)."},
	"admin-keys": {text: "Without their secrets, which are not stored. An admin cannot create a key for another person.",
		params: adminParams(keyFilterParams("Part of a key's name or of how it begins, or of its holder's name or e-mail.")...)},
	"admin-revoke-key": {text: "Ends the key and its access tokens at once. Revoking it again changes nothing.", params: []*huma.Param{keyParam()}},
	"admin-sso":        {text: "The client secret is never shown.", params: []*huma.Param{organisationParam()}},
	"admin-set-sso": {text: "Members that are missing are reset, except the secret. With password_off, exempt must name an admin. docs/decisions/0084-sso.md says what a provider may decide.",
		refuses: []int{http.StatusConflict}},
	"scim-type":                {text: "", params: []*huma.Param{scimIDParam()}},
	"scim-schema":              {text: "", params: []*huma.Param{scimIDParam()}},
	"scim-user":                {text: "", params: []*huma.Param{scimIDParam()}},
	"scim-replace-user":        {text: "Names that are not given stay. The userName does not change. Header If-Match: 412 if the version is another one.", params: []*huma.Param{scimIDParam()}},
	"scim-change-user":         {text: "With active false, tokens, sessions and keys of the account end at once; 400 mutability for the last administrator. Header If-Match as for PUT.", params: []*huma.Param{scimIDParam()}},
	"scim-delete-user":         {text: "The account is disabled and leaves its groups. To the directory, it does not exist until it is created again.", params: []*huma.Param{scimIDParam()}},
	"scim-group":               {text: "", params: []*huma.Param{scimIDParam()}},
	"scim-replace-group":       {text: "Members are users of the organisation. Groups give roles by the settings of the provider. Header If-Match: 412 if the version is another one.", params: []*huma.Param{scimIDParam()}},
	"scim-change-group":        {text: "Members are added, and removed by value or by a filter in the path. Header If-Match as for PUT.", params: []*huma.Param{scimIDParam()}},
	"scim-delete-group":        {text: "Its members get the role of their other groups, or become members of the organisation if it gave them theirs.", params: []*huma.Param{scimIDParam()}},
	"scim-users":               {text: "Query parameters filter, startIndex, count, attributes and excludedAttributes of RFC 7644 §3.4.2. Deleted accounts are missing."},
	"scim-add-user":            {text: "The userName is an e-mail address. An account with that address that the directory deleted is enabled again; 409 uniqueness for any other."},
	"scim-groups":              {text: "The same query parameters as for users."},
	"scim-add-group":           {text: "409 uniqueness if a group has the name, in any case of letters."},
	"admin-scim":               {text: "The secret is never shown. Groups give roles by the settings of the provider.", params: []*huma.Param{organisationParam()}},
	"admin-set-scim-secret":    {text: "The secret is shown only this once. The former one is no longer accepted."},
	"admin-delete-scim-secret": {text: "Accounts and groups stay as they are.", params: []*huma.Param{organisationParam()}},
	"admin-delete-sso":         {text: "Its people log in with passwords again. Domains stay granted, and accounts stay linked.", params: []*huma.Param{organisationParam()}},
	"admin-test-sso":           {text: "Whether it answers as a provider; nothing is changed."},
	"admin-claim-domain":       {text: "It routes no login until an operator grants it or its DNS proves it.", params: []*huma.Param{domainParam()}, refuses: []int{http.StatusConflict}},
	"admin-remove-domain":      {params: []*huma.Param{domainParam(), organisationParam()}},
	"admin-prove-domain": {text: "409 sso.domain_unproven without the record; 409 sso.dns_off where the operator does not let DNS prove domains.",
		params: []*huma.Param{domainParam()}, refuses: []int{http.StatusConflict}},
	"admin-grant-domain": {text: "Only for operators. 409 sso.domain_taken if another organisation has it.", params: []*huma.Param{domainParam()}, refuses: []int{http.StatusConflict}},
	"admin-unlink-sso":   {text: "The next login with the address of the account links it again, also of another person at the provider.", params: []*huma.Param{personParam()}},

	"feed": {text: "Only for admins. The same events that webhooks get, in the order in which they happened; none is left out and none is added before a cursor that was answered. With wait, " +
		"the answer is delayed until there are events, for that time at most. 409 feed.ahead: the cursor is of a state of the service that is lost; start again from a time that you know, or without a cursor.",
		params: feedParams(), refuses: []int{http.StatusConflict}},

	"ready": {text: "503 while the database, the keys or the files do not answer, while the disk is full, and after the service was told to stop. Operators see the state of each part."},
	"metrics": {text: "With an operator's token, or the token configured for metrics. The figures cover all organisations.",
		answers: textAnswer("text/plain", "The metrics.")},
	"openapi":     {answers: textAnswer("application/json", "OpenAPI 3.1.")},
	"docs":        {answers: textAnswer("text/html", "The page.")},
	"docs-script": {answers: textAnswer("text/javascript", "Copies examples.")},
}
