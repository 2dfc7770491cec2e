// Package blob stores immutable bytes under keys that are chosen before the first byte is written.
//
// A signed PDF only grows at its end, so a document is stored as its base and the tails of its revisions, each as one
// blob. A [Stack] reads them as one file; a [Digester] computes, in the one pass in which the bytes are written,
// everything that is needed to continue later without reading them again.
//
// The order of every write is: choose a key, write the blob, then record that it exists. A crash in between leaves an
// unreferenced blob, which a check of the store finds by [Store.List] and can remove; it never leaves a reference to
// bytes that are not durable.
//
// The worst that a store can do is to lose bytes or to return other ones. The second is noticed before a byte of it is
// served: the sums of all chunks are stored elsewhere, with the document, and [Stack.VerifiedReader] compares them.
package blob
