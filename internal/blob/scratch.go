package blob

import "io"

// Scratch is bytes that nobody keeps: they are gone when it is closed, and when the program ends, however that comes
// about. It is written first and read afterwards, by one goroutine.
type Scratch interface {
	io.Writer
	Blob
}
