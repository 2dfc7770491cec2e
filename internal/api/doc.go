// Package api serves the /v1 interface over HTTP. Its envelopes and status codes stay within this package, and
// so do its odd member names, except in the errors of placements. The file endpoints.go lists the whole interface. The other files hold the types of requests and answers and the
// few lines between them and the workflow.
//
// Input is read leniently (numbers as strings, missing members). Output is exact: every member is present, in the
// order of the interface, and arrays are never null.
//
// A request passes observeRequests (request ID, log, metrics, panics), guardRequests (headers, other origins, rate
// limits), routeRequest (further paths, 404 and 405) and serveEndpoint (authentication, Idempotency-Key), and then
// its operation.
//
// huma builds the specification at /openapi.json from the same table and types that serve the requests. This package reads bodies itself: huma would hold an upload in memory and refuse input that
// clients are allowed to send.
package api
