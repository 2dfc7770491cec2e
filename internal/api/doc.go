// Package api serves the /v1 interface over HTTP. Its envelopes, odd member names and status codes stay within this
// package. Each operation has one file, named like the operation's file in other packages. It holds the shapes of
// request and answer and the few lines between them and the workflow.
//
// Input is read leniently (numbers as strings, missing members). Output is exact: every member is present, in the
// order of the interface, and arrays are never null.
//
// A request passes observeRequests (request ID, log, metrics, panics), guardRequests (headers, other origins, rate
// limits), routeRequest (further paths, 404 and 405) and serveEndpoint (authentication, Idempotency-Key), and then
// its operation.
//
// huma registers the routes and builds the specification at /openapi.json from the same endpoints and types that
// serve the requests. This package reads bodies itself: huma would hold an upload in memory and refuse input that
// clients are allowed to send.
package api
