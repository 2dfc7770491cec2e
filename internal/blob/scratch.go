package blob

import "io"

// Scratch is a temporary file: its bytes are gone when it is closed and when the program ends for any reason. It is
// written first and read afterwards, by one goroutine.
type Scratch interface {
	io.Writer
	Blob
}
