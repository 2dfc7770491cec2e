// Package validate validates the signatures of a PDF file: whether each can be relied on, when it provably existed,
// with whose certificate it was made, and what became of the content since.
//
// Package facts finds what each signature covers, whether its mathematics are right and what later revisions changed,
// without any policy. [ValidateFacts] adds trust, time and policy, and returns the indications of ETSI EN 319 102-1:
// TOTAL-PASSED, INDETERMINATE and TOTAL-FAILED with a sub-indication. Besides, a report has the state of the content
// ([Integrity]) and the proved PAdES level. The results for a file are never better than those of its worst signature.
//
// Time is proved from the newest to the oldest revision. The newest document timestamp is validated at the time of
// validation; each valid one proves the existence (POE) of everything in the revisions before it, so that the next
// older timestamp, the validation data and the signatures are validated at that time. A certificate that expired or was
// revoked later does no harm.
//
// Claims of a file are not believed, and a file cannot make its validation cost more than the limits: the certificates,
// revocation data, chains and signatures examined are bounded.
package validate
