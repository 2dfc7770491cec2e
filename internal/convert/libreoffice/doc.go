// Package libreoffice converts Word documents with LibreOffice, which without protection would let the author of a
// document read the machine's files and its network. Four measures prevent that; the fifth, checking the document
// first, is package sniff.
//
//   - The import filter is forced: an HTML page named .doc is not detected as HTML.
//   - Our profile switches off links, macros and updates, and directs remaining network requests to a proxy that does
//     not exist.
//   - Bubblewrap runs the process in separate namespaces: without network and other processes, and of the file system
//     only with the program, the fonts and the two folders of its job; prlimit bounds its memory, processor time,
//     files and processes.
//   - One process converts one document and is killed with everything it wrote.
//
// Starting LibreOffice takes most of a second. So processes are started ahead, convert one of our documents to warm
// up, and wait. A document is handed over through the pipe on which LibreOffice listens for further command lines.
// Goroutines start processes, wait for their end, and measure what a conversion writes; [Converter.Close] waits for
// the first kind, the others end with the process.
package libreoffice
