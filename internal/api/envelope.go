package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"segel/internal/contract"
	"segel/internal/text"
)

// found is the envelope of lists, detail and status.
type found[T any] struct {
	Code    int  `json:"code" doc:"equals the HTTP status" example:"200"`
	Success bool `json:"success" doc:"always true"`
	Data    T    `json:"data"`
}

// done is the envelope of uploads, placements and the other verbs of /sign/.
type done[T any] struct {
	Code     int         `json:"code" doc:"equals the HTTP status" example:"200"`
	Success  bool        `json:"success" doc:"always true"`
	Msg      string      `json:"msg" doc:"a sentence in the language of the request" example:"Dokumen berhasil diunggah."`
	Response response[T] `json:"response"`
}

type response[T any] struct {
	Data     T         `json:"data"`
	Warnings []warning `json:"warnings,omitempty" doc:"warnings about input that was accepted"`
}

// warning describes something that was accepted but may not be what the caller meant.
type warning struct {
	Field string `json:"field" example:"signers[0]"`
	Code  string `json:"code" example:"placement.emet_props_differ"`
	Msg   string `json:"msg"`

	Page       int  `json:"page,omitempty" doc:"of a finding: the first page it applies to" example:"1"`
	MustAccept bool `json:"must_accept,omitempty" doc:"of a finding: finalize refuses the document unless accept_findings has this code"`
	Accepted   bool `json:"accepted,omitempty" doc:"of a finding: the owner accepted it at finalize"`
}

func foundAnswer[T any](data T) found[T] {
	return found[T]{Code: http.StatusOK, Success: true, Data: data}
}

// doneAnswer builds the answer of a verb of /sign/ with the message of the given code.
func doneAnswer[T any](c *call, code string, data T) done[T] {
	return done[T]{Code: http.StatusOK, Success: true, Msg: c.sentenceOf(code), Response: response[T]{Data: data}}
}

// warningsOf renders warnings in the language of the request.
func (c *call) warningsOf(list []contract.Warning) []warning {
	var out []warning
	for _, w := range list {
		out = append(out, warning{Field: w.Field, Code: w.Code, Msg: text.Warning(c.language, w)})
	}
	return out
}

// sentenceOf returns the message of a code in the language of the request.
func (c *call) sentenceOf(code string) string { return text.Sentence(c.language, code, nil) }

func (c *call) writeAnswer(status int, answer any) error {
	return writeJSON(c.w, c.exchange, status, answer)
}

// writeJSON writes a JSON answer. It encodes the whole answer first, so that an encoding error never leaves a partial
// one.
func writeJSON(w http.ResponseWriter, x *exchange, status int, answer any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // no browser reads it as HTML: Content-Type and nosniff say so
	if err := enc.Encode(answer); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Language", string(x.language))
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // if this fails, the client has gone
	return nil
}
