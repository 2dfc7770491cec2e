// Package validate judges the signatures of a PDF file: whether each can be relied on, when it provably existed,
// whose certificate it was made with, and what became of the content since.
//
// Facts come first: package facts says what each signature covers, whether its mathematics hold and what later
// revisions changed, without any policy. [Judge] adds trust, time and policy, and speaks the words of ETSI EN 319
// 102-1: TOTAL-PASSED, INDETERMINATE and TOTAL-FAILED with a sub-indication. Beside them stands one word about the
// content ([Integrity]), and the level of PAdES as far as it was proved. The words about a file are never better than
// those about its worst signature.
//
// Time is proved from the outside in. The newest document timestamp is judged as of the moment of validation; each
// one that holds proves everything in the states of the file before it, so that the next older timestamp, the proof in
// the document security store and the signatures are judged as of then. A certificate that has ended or was revoked
// since does no harm within what was proved.
//
// Nothing that a file says of itself is believed, and a file cannot make the judgement cost more than its limits: the
// certificates, pieces of proof, chains and signatures that are looked at are bounded.
package validate
