// Package pdf reads PDF files through io.ReaderAt, extends them by one
// incremental update at a time, and rewrites those that are damaged.
//
// It exists for signing, and its promises follow from that.
//
//   - Reading costs what the cross-reference leads to, never the size of the
//     file: [Open] reads the ends of the file and its cross-reference sections,
//     objects are parsed when they are requested, and caches are bounded.
//   - Writing never changes a byte that was there: an [Update] becomes a
//     [Tail], bytes to append behind the file, in the same cross-reference style
//     as the file's newest section.
//   - Only [Document.Rewrite] writes a new file, from one that readers could
//     only open by guessing. It refuses rather than guesses, and
//     refuses what is signed.
//
// # What is read
//
// Cross-reference tables, streams and hybrids, object streams, linearized
// files, chains of 65,536 revisions, offsets beyond 4 GiB; a header behind up
// to a kilobyte of junk; a startxref that is a few bytes off. With
// Options.Repair a cross-reference that is wrong or missing is rebuilt by
// scanning the file. Files of the standard security handler open with an empty
// password or the one given, the user's or the owner's: RC4 of 40 to 128 bits,
// AES-128, AES-256 of revisions 5 and 6, crypt filters, and Identity.
//
// Every error that is the file's fault is an [*Error] whose Kind says damaged,
// encrypted, too large and so on; those of the io.ReaderAt come back wrapped.
// Defects that have only one reading are tolerated, and [Document.Properties] names
// them. Programs that accept files call [Document.Check] and
// [Document.ActiveContent] once; programs that only sign need not.
//
// # Limits
//
// [Limits] bound what a hostile file can make the reader do: objects, nesting,
// sizes, and the Work of one Document, in bytes parsed and decoded, which
// every loop counts, so that no small file takes hours. Nothing panics, and
// nothing recovers.
//
// # Coordinates
//
// A [Rect] has its origin at the lower left, y upwards, left less than right.
// Boxes of a [Page] are in default user space, as the file has them. People
// mean the page as displayed: cropped, turned and scaled, in points of 1/72
// inch. [Page.DisplayedSize] is its size, [Page.ToUser] and [Page.FromUser] convert
// between the two.
//
// # Concurrency
//
// A Document is not safe for use by several goroutines at once. Opening the
// same io.ReaderAt twice is cheap and safe.
package pdf
