// Package pdf reads PDF files through io.ReaderAt and extends them by one
// incremental update at a time.
//
// It exists for signing, and its two promises follow from that. Reading costs
// what the cross-reference leads to, never the size of the file: [Open] reads
// the ends of the file and its cross-reference sections, objects are parsed
// when they are asked for, and caches are bounded. Writing never changes a
// byte that was there: an [Update] becomes a [Tail], bytes to append behind
// the file, in the same cross-reference style as the file's newest section.
//
// Files that readers only open by guessing are told apart from sound ones:
// every error is an [*Error] whose Kind says damaged, encrypted, too large and
// so on, and [Document.Facts] names what was tolerated.
//
// A Document is not safe for use by several goroutines at once. Opening the
// same io.ReaderAt twice is cheap and safe.
package pdf
