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
	get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	docs, verbs, admin  = documentBase, signBase, adminBase
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
			{post, "/v1/auth/password", "password", givenToo, tinyJSON, delayed, acceptJSON((*call).changePassword), "Change the caller's password"},
			{get, "/v1/auth/me", "me", givenToo, noBody, brief, answerData((*call).loadAccount), "The caller's account"},
			{post, "/v1/auth/session", "session", anybody, tinyJSON, delayed, acceptJSON((*call).openWebSession), "Log in to the web app"},
			{post, "/v1/auth/guest", "guest", anybody, tinyJSON, brief, acceptJSON((*call).openGuestLink), "Open a guest link"},
			{get, "/v1/auth/list_user", "list-users", accounts, noBody, brief, answerJSON((*call).listUsers), "The signer directory"},
			{get, "/v1/auth/specimen", "specimen", accounts, noBody, lengthy, serveRaw((*call).sendSpecimen), "The picture of the caller's signature"},
			{put, "/v1/auth/specimen", "put-specimen", accounts, picture, lengthy, serveTyped[nothing, noted]((*call).storeSpecimen), "Store a picture of the caller's signature"},
			{del, "/v1/auth/specimen", "delete-specimen", accounts, noBody, brief, answerJSON((*call).deleteSpecimen), "Delete the picture of the caller's signature"},
			{get, "/v1/avatar/{id}", "avatar", anybody, noBody, brief, serveRaw((*call).sendAvatar), "A picture for a person"},
			{get, "/v1/econtract/web_app/client_balance", "balance", accounts, noBody, brief, answerJSON((*call).loadBalance), "The remaining quota of the organisation"},
		}},
		{"verbs", "What can be done with a document.", []row{
			{post, verbs + "upload-docs-base64", "upload", accounts, fileJSON, receiving, serveTyped[uploadIn, done[uploadData]]((*call).uploadBase64), "Upload a document"},
			{post, verbs + "upload-docs", "upload-multipart", accounts, fileForm, receiving, serveTyped[uploadIn, done[uploadData]]((*call).uploadForm), "Upload a document as a form"},
			{post, verbs + "participants-docs", "participants", may(contract.OpParticipants), largeJSON, brief, acceptJSON((*call).setParticipants), "Replace the participants of a draft"},
			{post, verbs + "describe-docs", "describe", may(contract.OpDescribe), smallJSON, brief, acceptJSON((*call).describeDocument), "Change title and deadline of a draft"},
			{post, verbs + "placement-docs", "place", may(contract.OpPlace), largeJSON, lengthy, acceptJSON((*call).placeFields), "Place signatures, initials and duty stamps"},
			{post, verbs + "finalize-docs", "finalize", may(contract.OpFinalize), smallJSON, lengthy, acceptJSON((*call).finalizeDocument), "Finalize a draft"},
			{post, verbs + "process-docs", "process", may(contract.OpFinalize), smallJSON, lengthy, acceptJSON((*call).finalizeDocument), "Finalize a draft (another name)"},
			{post, verbs + "guest-link-docs", "guest-link", may(contract.OpGuestLink), smallJSON, brief, acceptJSON((*call).createGuestLink), "Create a guest's link"},
			{post, verbs + "guest-revoke-docs", "guest-revoke", may(contract.OpGuestRevoke), smallJSON, brief, acceptJSON((*call).revokeGuestLink), "Revoke a guest's link"},
			{post, verbs + "sign-docs", "sign", may(contract.OpSign), pictureJSON, lengthy, acceptJSON((*call).signDocument), "Sign"},
			{post, verbs + "specimen-preview-docs", "specimen-preview", may(contract.OpSign), pictureJSON, lengthy, acceptJSON((*call).previewSpecimen), "Preview a picture of a signature"},
			{post, verbs + "reject-docs", "reject", may(contract.OpReject), smallJSON, brief, endDocument("done.reject", (*workflow.Service).Reject), "Decline to sign"},
			{post, verbs + "cancel-docs", "cancel", may(contract.OpCancel), smallJSON, brief, endDocument("done.cancel", (*workflow.Service).Cancel), "Cancel a document"},
			{post, verbs + "remind-docs", "remind", may(contract.OpRemind), smallJSON, brief, changeDocument("done.remind", (*workflow.Service).Remind), "Record that the signers should be reminded"},
			{post, verbs + "restamp-docs", "restamp", may(contract.OpRestamp), smallJSON, lengthy, acceptJSON((*call).restampDocument), "Try a failed stamp again"},
			{post, verbs + "copy-docs", "copy", may(contract.OpCopy), smallJSON, lengthy, acceptJSON((*call).copyDocument), "Make a draft of an ended document"},
			{post, verbs + "retry-docs", "retry", may(contract.OpRetry), smallJSON, lengthy, changeDocument("done.retried", (*workflow.Service).RetryOwn), "Retry now what a document waits for"},
		}},
		{"documents", "What can be seen of documents.", []row{
			{del, docs + "{document_id}", "delete", may(contract.OpDelete), noBody, lengthy, answerData((*call).deleteDocument), "Delete a draft"},
			{get, docs + "data", "list-inbound", accounts, noBody, brief, answerData(listBox(store.Inbox)), "Documents sent to the caller"},
			{get, docs + "out", "list-sent", accounts, noBody, brief, answerData(listBox(store.Outbox)), "Documents that the caller created"},
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
		}},
		{"verification", "What anyone may have verified, without an account.", []row{
			{post, "/v1/verify", "verify", anybody, fileAny, lengthy, serveTyped[verifyIn, found[verdict.Report]]((*call).verifyFile), "Verify the signatures of a PDF"},
			{get, "/v1/verify/serial/{serial}", "verify-serial", anybody, noBody, brief, answerData((*call).lookUpSerial), "Whether a duty stamp was affixed here"},
		}},
		{"administration", "What administrators can see and do.", []row{
			{get, admin + "people", "admin-people", administer(contract.AdminPeople), noBody, brief, answerData((*call).listPeople), "The accounts"},
			{post, admin + "people", "admin-add-person", administer(contract.AdminAddPerson), smallJSON, brief, acceptJSON((*call).addPerson), "Create an account"},
			{get, admin + "quota", "admin-quota", administer(contract.AdminQuota), noBody, brief, answerData((*call).listQuotas), "The quotas of organisations"},
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
			{get, admin + "audit-log", "admin-audit-log", administer(contract.AdminAuditLog), noBody, lengthy, listAdmin((*query).parseLogQuery, (*workflow.Service).AuditLog, (*call).auditLogOf), "The audit log"},
		}},
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
		"password decides which is meant, and business_id decides if several have the same password."},
	"refresh":         {text: "Answers like login. A refresh token can be used once; using it a second time revokes every token of the same login."},
	"logout":          {text: "Revokes the token and all other tokens of the same login at once."},
	"forgot-password": {text: "Always reports success, whether the e-mail has an account or not."},
	"password":        {text: "Revokes every token of the account at once, including the one of this request: log in with the new password."},
	"session": {text: "Takes the same members as login and sets a cookie that scripts cannot read. Requests with this cookie are accepted only from our own " +
		"pages. Logout ends it. A second cookie, which stays, lets the next login from this browser be admitted at once while others " +
		"try passwords on the account."},
	"guest": {text: "Returns a token that is used like any other, for detail, status, preview, sign, reject and download of the one document. A link that opens nothing is 404; error.code says whether a newer one replaced it " +
		"(guest.link_replaced), the owner revoked it (guest.link_revoked), or it expired (guest.link_expired)."},
	"list-users":   {text: "Users of the caller's organisation, by name.", params: pageParams(directoryLimit)},
	"specimen":     {text: "PNG or JPEG as it was stored; 404 if there is none.", refuses: []int{http.StatusNotFound}, answers: pictureAnswer()},
	"put-specimen": {text: "The body is the picture itself, PNG or JPEG by its content, of at most 1 MiB. It is shown as dark strokes on a transparent ground; a picture without recognisable strokes is 422.", refuses: []int{http.StatusUnsupportedMediaType}},
	"avatar": {text: "Drawn from the address alone: its colour from the id, its letters from the query. Needs no token.", answers: textAnswer("image/svg+xml", "The picture."), params: []*huma.Param{
		{Name: "id", In: "path", Required: true, Description: "Any text; the UUID of a person.", Schema: textSchema()},
		{Name: "initials", In: "query", Description: "Up to two letters.", Schema: textSchema(), Example: "SR"},
	}},

	"upload": {text: "Creates a draft from a file in base64. The type of the file is recognised by its content. A Word document is converted. If that takes longer than the " +
		"request waits, fields can be placed later, see placement-docs.", refuses: []int{http.StatusUnsupportedMediaType}},
	"upload-multipart": {text: "The same as multipart/form-data: the file is the part document; signer and guest are JSON.", refuses: []int{http.StatusUnsupportedMediaType}},
	"participants":     {text: "Placements of participants who are removed are removed too."},
	"describe":         {text: "Members that are missing keep their value."},
	"place": {text: "Only a draft accepts placements; placing again replaces all of them. The box is taken from sign for the types sign and paraf if given, else from emet if it has an " +
		"area, else from props. A duty stamp is the largest centred square of its box, 40 to 200 points."},
	"finalize": {text: finalizing, refuses: []int{http.StatusPaymentRequired}},
	"process":  {text: finalizing, refuses: []int{http.StatusPaymentRequired}},
	"guest-link": {text: "Creates a link for a guest and revokes the previous one. The audit trail records that the owner passed it on and that no mailbox was verified. The link is valid " +
		"until it is replaced or revoked, or for some time after the document ended."},
	"guest-revoke": {text: "Revokes the link and every token that was opened with it at once, in every state of the document. Succeeds too if there is no link. guest-link-docs creates a new one."},
	"sign": {text: "Signs the current revision with the caller's certificate. Signing out of turn is 409. The log records which pages of which revision the service showed the signer, " +
		"if digest and pages_shown are given, and otherwise that it showed none."},
	"specimen-preview": {text: "Returns the strokes that sign-docs would show for the same picture. Nothing is signed and nothing is stored. A picture without recognisable strokes is 422."},
	"reject":           {text: "A signer ends the document while their signature is outstanding, in turn or not. A reason is required."},
	"cancel":           {text: "The owner ends the document while signatures are outstanding, or after it failed. Quota that was reserved and not spent is released."},
	"remind":           {text: "Records that the owner asked to remind those whose turn it is to sign. The service sends no message; the answer and the audit trail say so."},
	"restamp": {text: "Returns a failed document to processing, with the serials it has: no unit is spent twice. With new_serial, another serial is used instead, if the stamp office now " +
		"reports the refused one as unused; the refused one is then used for another document."},
	"retry": {text: "The service retries by itself, after growing pauses; this ends the pause. 409 if the document does not wait for the service; restamp-docs resumes a document that failed."},
	"copy": {text: "Makes a draft of a completed, rejected, canceled or expired document: the file as it was uploaded, without signatures, stamps or seal, its people and their boxes. The file is examined and " +
		"counted like an upload (402 if the organisation has too many drafts or bytes). Guests get new links. A deadline that has passed is left out. 409 for a document that has not ended.",
		refuses: []int{http.StatusPaymentRequired}},

	"delete":       {text: "Returns the last state of the document."},
	"list-inbound": {text: "Newest first. A page out of range is empty.", params: listParams()},
	"list-sent":    {text: "Newest first. A page out of range is empty.", params: listParams()},
	"status":       {text: "For polling; events reports the same without polling."},
	"audit-trail":  {text: "Oldest first. Only for the owner."},
	"events": {text: "Server-sent events named progress: the state of the document, at once and after every change. The last one reports a final state; requesting it again after that is answered 204.",
		params: []*huma.Param{{Name: "Last-Event-ID", In: "header", Description: "The id of the last event that was received.", Schema: textSchema()}}},
	"preview": {text: "PDF, inline, with Range and ETag. A viewer's first request is recorded as their view.", refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},
	"pages":   {text: "Of the current revision, with its digest. Counts as a view, like preview."},
	"page-picture": {text: "PNG or JPEG, as the page is displayed, of any revision of the document that digest names; for looking at a page before the file has arrived. 404 " +
		"page.no_picture if pages are not drawn here, or not this one: show it from preview then.", params: pictureParams(), refuses: []int{http.StatusNotFound}, answers: pictureAnswer()},
	"download": {text: "PDF as an attachment, with Range and ETag. 409 while active_download_button is false.", refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},
	"original": {text: "As an attachment, with Range and ETag. Only for the owner.", refuses: []int{http.StatusRequestedRangeNotSatisfiable}, answers: fileAnswer()},

	"verify": {text: "Any PDF, without an account. As JSON with the file in base64, or as multipart/form-data with the part document. Nothing of it is stored. The terms are those of " +
		"ETSI EN 319 102-1; docs/validation.md lists what is checked.", refuses: []int{http.StatusUnsupportedMediaType}},
	"verify-serial": {text: "What anyone who has the printed document may know: that the serial was affixed here, when, and whether it is a specimen. Reveals nothing about the document.",
		params: []*huma.Param{serialParam()}, refuses: []int{http.StatusNotFound}},

	"admin-people":       {text: "By name.", params: adminParams(pageParams(adminLimit)[2])},
	"admin-add-person":   {text: "The password is random and shown only once.", refuses: []int{http.StatusConflict}},
	"admin-quota":        {params: []*huma.Param{organisationParam()}},
	"admin-grant-quota":  {text: "Only for operators. A negative count takes quota back."},
	"admin-quota-ledger": {text: "Newest first.", params: adminParams(choiceParam("unit", "Only this unit.", units))},
	"admin-attempts":     {text: "Newest first.", params: adminParams(attemptParams()...)},
	"admin-attempts-csv": {text: "Suitable for a refund claim. No cell is interpreted as a formula.",
		params: append([]*huma.Param{organisationParam()}, attemptParams()...), answers: textAnswer("text/csv", "The attempts, oldest first.")},
	"admin-serials": {text: "Most recently changed first. Only operators see serials without an organisation.",
		params: adminParams(choiceParam("state", "Only serials in this state.", serialStates), documentParam())},
	"admin-evidence": {text: "The last file that the stamp office returned for a serial, as an attachment, with Range and ETag: for a complaint to the stamp office. 404 if nothing is stored.",
		params: []*huma.Param{serialParam()}, answers: fileAnswer()},
	"admin-reconciliation": {text: "Admins see the differences of their own organisation."},
	"admin-reconcile":      {text: "Only for operators. If the stamp office cannot be reached, the report names the problem.", refuses: []int{http.StatusConflict}},
	"admin-stuck": {text: "Documents that have waited for the service for a minute or longer, and those that failed, oldest first; and whether the clock of the service is reliable, without which nothing is signed.",
		params: adminParams()},
	"admin-retry":        {text: "A waiting document is tried at once; a failed one is resumed as by its owner's restamp, with the serials it has.", refuses: []int{http.StatusConflict}},
	"admin-certificates": {text: "Those that expire first come first.", params: adminParams(choiceParam("standing", "Only certificates with this status.", certificateStatuses))},
	"admin-audit-log": {text: "Newest first. Admins see the events of the documents of their organisation.",
		params: adminParams(documentParam(), &huma.Param{Name: "type", In: "query", Description: "Only events of this type.", Schema: textSchema()})},

	"ready": {text: "503 while the database, the keys or the files do not answer, while the disk is full, and after the service was told to stop. Operators see the state of each part."},
	"metrics": {text: "With an operator's token, or the token configured for metrics. The figures cover all organisations.",
		answers: textAnswer("text/plain", "The metrics.")},
	"openapi":     {answers: textAnswer("application/json", "OpenAPI 3.1.")},
	"docs":        {answers: textAnswer("text/html", "The page.")},
	"docs-script": {answers: textAnswer("text/javascript", "Copies examples.")},
}
