package api

import "segel/internal/contract"

// keyScopes says which scope an API key needs for the endpoints that name neither a document nor an operation of administration. For those that
// do, contract.ScopeOf and contract.AdminScopeOf say it, and the rules check it again. Endpoints that need no token are not
// listed. An endpoint that is missing is never permitted; a test requires that none is.
var keyScopes = map[string]contract.KeyScope{
	"me": contract.AnyKey, "balance": contract.AnyKey,
	"list-users": contract.ScopeRead, "suggest-guests": contract.ScopeRead,
	"list-inbound": contract.ScopeRead, "list-sent": contract.ScopeRead, "list-counts": contract.ScopeRead, "list-contacts": contract.ScopeRead, "archive": contract.ScopeRead,
	"list-labels": contract.ScopeRead, "list-folders": contract.ScopeRead, "list-templates": contract.ScopeRead, "add-folder": contract.ScopeWrite, "rename-folder": contract.ScopeWrite, "delete-folder": contract.ScopeWrite,
	"upload": contract.ScopeWrite, "upload-multipart": contract.ScopeWrite,
	"begin-upload": contract.ScopeWrite, "upload-progress": contract.ScopeWrite, "continue-upload": contract.ScopeWrite, "end-upload": contract.ScopeWrite,
	"specimen": contract.ScopeSign, "put-specimen": contract.ScopeSign, "delete-specimen": contract.ScopeSign, // what the person's signatures show
	"metrics": contract.ScopeAdmin,

	// A key that could change how its person logs in, or make another key, would outlive its own end.
	"logout": contract.NeverByKey, "password": contract.NeverByKey, "reauthenticate": contract.NeverByKey, "sessions": contract.NeverByKey, "organisations": contract.NeverByKey, "add-organisation": contract.NeverByKey, "leave-organisation": contract.NeverByKey, "switch": contract.NeverByKey, "end-session": contract.NeverByKey, "end-other-sessions": contract.NeverByKey,
	"guest-account": contract.NeverByKey, "guest-document": contract.NeverByKey, // the token would outlive the key
	"factors": contract.NeverByKey, "begin-totp": contract.NeverByKey, "confirm-totp": contract.NeverByKey, "remove-totp": contract.NeverByKey, "recovery-codes": contract.NeverByKey,
	"passkey-options": contract.NeverByKey, "add-passkey": contract.NeverByKey, "rename-passkey": contract.NeverByKey, "remove-passkey": contract.NeverByKey,
	"passkey-sign-options": contract.NeverByKey,
	"export-own-data":      contract.NeverByKey, "erase-own-account": contract.NeverByKey,
	"keys": contract.NeverByKey, "create-key": contract.NeverByKey, "revoke-key": contract.NeverByKey,
}

// keyScopeOf returns the scope that an API key needs for an endpoint.
func keyScopeOf(e *row) contract.KeyScope {
	switch {
	case e.access.op != "":
		return contract.ScopeOf(e.access.op)
	case e.access.admin != "":
		return contract.AdminScopeOf(e.access.admin)
	}
	return keyScopes[e.id]
}

// describeScope says in the specification which scope an API key needs for an endpoint.
func describeScope(e *endpoint) string {
	switch scope := keyScopeOf(&e.row); scope {
	case contract.NeverByKey:
		return "Not with an API key."
	case contract.AnyKey:
		return "With any API key."
	default:
		return "API keys need the scope " + string(scope) + "."
	}
}
