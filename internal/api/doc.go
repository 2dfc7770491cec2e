// Package api is the wire: the /v1 interface over HTTP, its envelopes, its odd spellings and its statuses. They
// live here and go no further. A verb has one file with the name it has in every room it visits; the file holds
// the shape of the request, the shape of the answer, and the few lines between them and the workflow.
//
// What a client sends is read leniently (numbers as strings, missing members) and what it gets is exact: every
// member is always there, in the order of the interface, and arrays are never null.
//
// A request passes observe (its name, the log, metrics, panics), guard (headers, other origins, how often), route
// (further paths, 404 and 405) and serve (who asks, Idempotency-Key), and then its verb.
//
// huma makes the routes and the specification at /openapi.json of the same endpoints and types that serve the
// requests. Bodies are read here and not by it: it would hold an upload in memory, and refuse what clients are
// allowed to send.
package api
