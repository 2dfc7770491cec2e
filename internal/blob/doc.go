// Package blob keeps immutable bytes under keys chosen before the first of them is written.
//
// A signed PDF only ever grows at its end, so a document is stored as its base and the tails its revisions
// appended, each a blob of its own. A [Stack] reads them as one file again; a [Digester] computes, in the one
// pass in which the bytes stream by, all that is later needed to go on from there without reading them again.
//
// The order of every write is: choose a key, write the blob, then record that it is there. A crash in
// between leaves a blob nobody refers to, which a check of the store finds by [Store.List] and can remove; it never
// leaves a reference to bytes that are not durable.
//
// What a store of blobs can do at worst is lose bytes or hand out others. The second is noticed before a byte
// of it is served: the sums of all chunks are kept elsewhere, with the document, and [Stack.Verified] compares.
package blob
