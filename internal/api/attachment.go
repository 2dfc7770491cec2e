package api

import "net/http"

// attachment writes the header of a file together with its first bytes. A refusal before that is still answered as a
// refusal.
type attachment struct {
	*call
	mime, name string
}

func (a *attachment) Write(p []byte) (int, error) {
	if !a.sending {
		a.sending = true
		a.deadline.removeLimit()
		h := a.w.Header()
		h.Set("Content-Type", a.mime)
		h.Set("Content-Disposition", contentDisposition("attachment", a.name))
		h.Set("Cache-Control", "no-store")
	}
	return a.w.Write(p)
}

// abortAnswer ends an answer after an error: with a refusal if nothing was sent yet.
func (c *call) abortAnswer(err error) error {
	if c.sending {
		c.cause = err
		panic(http.ErrAbortHandler) // cuts the connection
	}
	return err
}
