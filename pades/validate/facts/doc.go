// Package facts reads what can be known about the signatures of a PDF file without any policy: which bytes each covers,
// whether the digest and the signature value are right, what the container and the dictionary say, and what each later
// revision changed. It knows nothing of trust and time.
//
// The file is read once for hashing, whatever the number of signatures, and each revision is compared once with the one
// before it.
package facts
