package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"segel/internal/api/intake"
	"segel/internal/contract"
	"segel/internal/workflow"
	"time"
)

// uploadIn is the body of an upload. DocumentBase64 stays empty: package intake removes the file from the body while
// it arrives.
type uploadIn struct {
	DocumentTitle  phrase             `json:"document_title" required:"false" doc:"the stem of the file name when missing" example:"Perjanjian Sewa"`
	Filename       phrase             `json:"filename" required:"false" doc:"the title when missing" example:"sewa.pdf"`
	DocumentBase64 phrase             `json:"document_base64" required:"true" doc:"the file: PDF, DOC or DOCX. A data URL, white space and the URL-safe alphabet are accepted" example:"JVBERi0xLjcK..."`
	Parallel       binary             `json:"parallel" required:"false" doc:"0: one after the other; 1: all at once"`
	Signer         list[personIn]     `json:"signer" required:"false" doc:"registered participants"`
	Guest          oneOrMore[guestIn] `json:"guest" required:"false" doc:"participants without an account; a single object is accepted"`
	ExpiredAt      phrase             `json:"expired_at" required:"false" doc:"ISO 8601 with a zone, in the future" example:"2027-01-31T17:00:00.000Z"`
}

// uploadData is the answer to an upload.
type uploadData struct {
	DocumentID   contract.DocumentID `json:"document_id" example:"1207"`
	DocumentName string              `json:"document_name" doc:"unique, made by the service" example:"sewa-1728885960123-4VnJ2xQpR7sTyWbCdEfGh8"`
	Signer       []personOut         `json:"signer" doc:"participants by number, guests among them"`
}

func (c *call) uploadBase64() error {
	return c.receiveUpload(jsonFormat, func(body io.Reader, sink io.Writer) (uploadIn, intake.Info, error) {
		var in uploadIn
		rest, info, err := intake.JSON(body, c.intakeLimits(), sink, jsonFormat.member)
		if err == nil {
			err = decodeChecked(rest, &in)
		}
		return in, info, err
	})
}

func (c *call) uploadForm() error {
	return c.receiveUpload(formFormat, func(body io.Reader, sink io.Writer) (uploadIn, intake.Info, error) {
		fields, info, err := intake.Multipart(body, c.r.Header.Get("Content-Type"), c.intakeLimits(), sink, formFormat.member)
		if err != nil {
			return uploadIn{}, info, err
		}
		in, err := parseUploadForm(fields, info.Filename)
		return in, info, err
	})
}

// bodyFormat says how a body contains a file.
type bodyFormat struct {
	member    string          // name of the member or part with the file
	malformed *contract.Error // refusal of a body that does not have this format
}

var (
	jsonFormat = bodyFormat{"document_base64", errMalformed}
	formFormat = bodyFormat{"document", errMultipart}
)

func (s *server) intakeLimits() intake.Limits {
	return intake.Limits{File: s.Limits.FileSize, Rest: largeBody, Depth: maxDepth}
}

// receiveUpload receives an upload: split writes the file to its staging while the body arrives, and the other
// members are decoded afterwards. While the client sends, the upload holds one of the slots of its organisation and
// space on the disk; once all of it has arrived, the workflow takes a slot for examining the file. Nothing is held
// while the answer is written.
func (c *call) receiveUpload(as bodyFormat, split func(io.Reader, io.Writer) (uploadIn, intake.Info, error)) error {
	organisation := string(c.by.Organisation)
	leave, err := c.acquireSlot(c.shares.uploads, organisation, c.UploadWait)
	if err != nil {
		return err
	}
	defer leave()
	staging, err := c.Workflow.Stage(c.r.Context())
	if err != nil {
		return err
	}
	defer staging.Abort()
	spool := &spoolWriter{to: staging, shares: c.shares.spool, key: organisation, step: spoolStep}
	defer spool.releaseSpace()
	body := &rememberingReader{Reader: c.r.Body}
	in, info, err := split(body, spool)
	if err != nil {
		refusal := as.refusalOf(err, body.err)
		// A client that is still sending would not read the refusal. The endpoint bounds the body.
		_, _ = io.Copy(io.Discard, body)
		return refusal
	}
	request, err := c.uploadRequest(&in, as, info)
	if err != nil {
		return err
	}
	request.File = staging
	out, err := answerResult(c, func(ctx context.Context) (contract.Document, error) {
		d, err := c.Workflow.Upload(ctx, c.by, request)
		if err != nil {
			return contract.Document{}, err
		}
		spool.releaseSpace() // from now on it counts as the organisation's storage
		leave()              // a request that waits for a conversion must not keep others from uploading
		return c.Workflow.WaitForConversion(ctx, c.by, d, c.ConvertWait)
	}, func(d contract.Document) done[uploadData] {
		out := doneAnswer(c, "done.upload", uploadData{DocumentID: d.ID, DocumentName: d.Name, Signer: peopleOut(&d)})
		out.Response.Warnings = c.fileWarnings(&d)
		return out
	})
	if err != nil {
		return err
	}
	leave()
	return c.writeAnswer(http.StatusOK, out)
}

func (c *call) uploadRequest(in *uploadIn, as bodyFormat, info intake.Info) (workflow.UploadRequest, error) {
	var bad problems
	if !info.Present {
		bad.add(as.member, "file.missing")
	}
	r := workflow.UploadRequest{
		Title:     in.DocumentTitle.checkedValue("document_title", &bad),
		Filename:  in.Filename.checkedValue("filename", &bad),
		Parallel:  in.Parallel.checkedValue("parallel", &bad),
		People:    parsePeople(in.Signer, in.Guest, c.Limits.Participants, &bad),
		ExpiresAt: parseExpiry(in.ExpiredAt, &bad),
	}
	return r, bad.asError()
}

func parseExpiry(p phrase, bad *problems) time.Time {
	s := p.checkedValue("expired_at", bad)
	if s == "" {
		return time.Time{}
	}
	t, ok := parseISO(s)
	if !ok {
		bad.add("expired_at", "value.not_time")
	}
	return t
}

// parseUploadForm reads the fields of a form as if they were members of a JSON body.
func parseUploadForm(fields map[string]string, filename string) (uploadIn, error) {
	object := map[string]json.RawMessage{}
	var bad problems
	for name, value := range fields {
		switch {
		case name != "signer" && name != "guest":
			quoted, err := json.Marshal(value)
			if err != nil {
				return uploadIn{}, err
			}
			object[name] = quoted
		case value == "":
		case !json.Valid([]byte(value)):
			bad.add(name, "value.malformed")
		default:
			object[name] = json.RawMessage(value)
		}
	}
	if err := bad.asError(); err != nil {
		return uploadIn{}, err
	}
	body, err := json.Marshal(object)
	if err != nil {
		return uploadIn{}, err
	}
	var in uploadIn
	if err := decodeObject(body, &in); err != nil {
		return uploadIn{}, err
	}
	if in.Filename.value == "" {
		in.Filename.value = filename
	}
	return in, nil
}

// refusalOf maps an error of an upload to its refusal. An error of the body's reader is the client's; one of the sink
// is a refusal of the file, or an internal error.
func (as bodyFormat) refusalOf(err, reading error) error {
	var e *intake.Error
	switch {
	case reading != nil:
		return bodyReadError(reading)
	case !errors.As(err, &e):
		return err
	}
	var bad problems
	switch e.Kind {
	case intake.NotString:
		bad.add(as.member, "value.not_string")
	case intake.BadBase64:
		bad.add(as.member, "file.not_base64")
	case intake.Duplicate, intake.TooManyMembers:
		if e.Member != "" {
			return malformedBody(err)
		}
		bad.add(as.member, "value.too_many", "limit", 1) // a part of a form
	case intake.TooLarge:
		return contract.Refuse(contract.TooLarge, "file.too_large").With("limit", e.Limit).WithCause(err)
	case intake.RestTooLarge:
		return errTooLarge.With("limit", e.Limit).WithCause(err)
	default:
		return as.malformed.WithCause(err)
	}
	return bad.asError()
}

// rememberingReader remembers the error that ended reading early.
type rememberingReader struct {
	io.Reader
	err error
}

func (r *rememberingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
