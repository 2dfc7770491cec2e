// Package facts reads what can be known about the signatures of a PDF file without any policy: which bytes each
// covers, whether the digest and the signature value are right, what the container and the dictionary say, and what
// each later revision changed. Trust, time and the verdict are for whoever asks.
//
// The file is read once for hashing, whatever the number of signatures, and each revision is compared once with the
// one before it.
package facts
