// Package libreoffice converts Word documents with LibreOffice, which by itself would read the machine's files and the
// network for whoever wrote the document. Four things keep it from that; the fifth, looking at the document before,
// is package sniff.
//
//   - The import filter is forced: a page of HTML that calls itself .doc is not guessed at.
//   - A profile of ours switches off links, macros and updates, and sends what still asks for the network to a proxy
//     that does not exist.
//   - Bubblewrap puts the process into namespaces of its own: no network, no other process, of the file system only
//     the program, the fonts and its job's two folders; and prlimit bounds its memory, processor, files and processes.
//   - One process converts one document and is killed, whole, with everything it wrote.
//
// Starting LibreOffice takes most of a second. So processes are started ahead, convert a document of ours to warm
// up, and wait. A document is handed over through the pipe on which LibreOffice listens for further command lines.
// Goroutines start them, wait for their end, and watch what a conversion writes; [Office.Close] waits for the first kind,
// the others end with the process.
package libreoffice
