package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
)

// Resumable uploads follow tus 1.0.0 (https://tus.io/protocols/resumable-upload): the core protocol, and the
// extensions creation, expiration and termination.
const (
	uploadsPath   = "/v1/uploads"
	tusVersion    = "1.0.0"
	tusExtensions = "creation,expiration,termination"
	partType      = "application/offset+octet-stream"
)

// maxMetadata bounds a client's Upload-Metadata, in bytes.
const maxMetadata = 8 << 10

// resumableData describes an upload that arrives in parts.
type resumableData struct {
	UploadID   contract.UploadID    `json:"upload_id" doc:"for upload-docs" example:"4f1c0a9be21d77aa4f1c0a9be21d77aa"`
	Filename   string               `json:"filename" example:"sewa.pdf"`
	Size       int64                `json:"size" doc:"bytes of the whole file" example:"31457280"`
	Offset     int64                `json:"offset" doc:"bytes that are stored; the next part begins here" example:"4194304"`
	SHA256     string               `json:"sha256" doc:"of the bytes that are stored, in hex" example:"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`
	ExpiresAt  string               `json:"expires_at" doc:"until when it can be continued" example:"2026-11-24T05:00:00.000Z"`
	DocumentID *contract.DocumentID `json:"document_id" doc:"what was made of it, or null" nullable:"true"`
}

func resumableOut(u contract.ResumableUpload) resumableData {
	out := resumableData{
		UploadID: u.ID, Filename: u.Filename, Size: u.Size, Offset: u.Received, SHA256: hex.EncodeToString(u.Digest[:]), ExpiresAt: u.ExpiresAt.UTC().Format(isoLayout),
	}
	if u.Document != 0 {
		out.DocumentID = &u.Document
	}
	return out
}

// prepareUploads sets what every answer of tus has, and lets a client that cannot send PATCH or DELETE name them in a
// header.
func (s *server) prepareUploads(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.URL.Path != uploadsPath && !strings.HasPrefix(r.URL.Path, uploadsPath+"/") {
		return r
	}
	h := w.Header()
	h.Set("Tus-Resumable", tusVersion)
	if named := r.Header.Get("X-HTTP-Method-Override"); named != "" {
		c := *r
		c.Method, r = strings.ToUpper(named), &c
	}
	if r.Method == http.MethodOptions {
		h.Set("Tus-Version", tusVersion)
		h.Set("Tus-Extension", tusExtensions)
		h.Set("Tus-Max-Size", strconv.FormatInt(s.Limits.FileSize, 10))
	}
	return r
}

// serveTus is a handler of tus. It refuses clients of another version of tus with 412, or of none. GET is not part of
// tus, so it needs no version.
func serveTus(do func(*call) error) handler {
	return serveRaw(func(c *call) error {
		if c.r.Method == http.MethodGet || c.r.Header.Get("Tus-Resumable") == tusVersion {
			return do(c)
		}
		c.w.Header().Set("Tus-Version", tusVersion)
		c.writeFailure(c.w, c.exchange, http.StatusPreconditionFailed, "upload.protocol", contract.Refuse(contract.Invalid, "").With("version", tusVersion))
		return nil
	})
}

// beginUpload creates an upload.
func (c *call) beginUpload() error {
	var bad problems
	size := c.sizeHeader("Upload-Length", &bad)
	filename, announced := parseUploadMetadata(c.r.Header.Get("Upload-Metadata"), &bad)
	if err := bad.asError(); err != nil {
		return err
	}
	u, err := c.Workflow.BeginUpload(c.r.Context(), c.by, filename, size, announced)
	if contract.KindOf(err) == contract.TooLarge {
		c.w.Header().Set("Tus-Max-Size", strconv.FormatInt(c.Limits.FileSize, 10))
	}
	if err != nil {
		return err
	}
	c.describeUpload(u)
	// Relative, so that it is right below any prefix and address.
	c.w.Header().Set("Location", "uploads/"+string(u.ID))
	return c.writeAnswer(http.StatusCreated, found[resumableData]{Code: http.StatusCreated, Success: true, Data: resumableOut(u)})
}

// sendUpload says how much of an upload is stored. The answer to HEAD has the headers alone.
func (c *call) sendUpload() error {
	u, err := c.Workflow.FindUpload(c.r.Context(), c.by, c.uploadID())
	if err != nil {
		return err
	}
	c.describeUpload(u)
	c.w.Header().Set("Upload-Length", strconv.FormatInt(u.Size, 10))
	return c.writeAnswer(http.StatusOK, foundAnswer(resumableOut(u)))
}

// continueUpload receives the next part of an upload. While the client sends, it holds one of the slots of its
// organisation for uploads.
func (c *call) continueUpload() error {
	if kind, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";"); !strings.EqualFold(strings.TrimSpace(kind), partType) {
		return contract.Refuse(contract.Unsupported, "upload.part_type")
	}
	var bad problems
	offset := c.sizeHeader("Upload-Offset", &bad)
	if err := bad.asError(); err != nil {
		return err
	}
	release, err := c.acquireSlot(c.shares.uploads, string(c.by.Organisation), c.UploadWait)
	if err != nil {
		return err
	}
	defer release()
	body := &rememberingReader{Reader: c.r.Body}
	u, err := c.Workflow.ContinueUpload(c.r.Context(), c.by, c.uploadID(), offset, body)
	if u.ID != "" {
		c.describeUpload(u)
	}
	if body.err != nil {
		return bodyReadError(body.err)
	}
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// endUpload removes an upload.
func (c *call) endUpload() error {
	if err := c.Workflow.EndUpload(c.r.Context(), c.by, c.uploadID()); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// uploadID returns the identifier in the path. Any text is one: what does not exist is not found.
func (c *call) uploadID() contract.UploadID { return contract.UploadID(c.r.PathValue("upload_id")) }

// describeUpload sets the headers that say how far an upload is.
func (c *call) describeUpload(u contract.ResumableUpload) {
	h := c.w.Header()
	h.Set("Upload-Offset", strconv.FormatInt(u.Received, 10))
	h.Set("Upload-Expires", u.ExpiresAt.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", "no-store")
}

// sizeHeader reads a header with a number of bytes.
func (c *call) sizeHeader(name string, bad *problems) int64 {
	value := c.r.Header.Get(name)
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case value == "":
		bad.add(name, "value.required")
	case err != nil || n < 0:
		bad.add(name, "value.not_integer")
	}
	return n
}

// parseUploadMetadata reads the name of the file and its SHA-256 from Upload-Metadata: pairs of a key and a value in
// Base64, separated by commas. Other keys are ignored.
func parseUploadMetadata(header string, bad *problems) (filename string, announced [sha256.Size]byte) {
	if len(header) > maxMetadata {
		bad.add("Upload-Metadata", "text.too_long", "limit", maxMetadata)
		return "", announced
	}
	if strings.TrimSpace(header) == "" {
		return "", announced
	}
	for pair := range strings.SplitSeq(header, ",") {
		key, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
		switch {
		case err != nil:
			bad.add("Upload-Metadata", "value.not_base64")
			return "", announced
		case key == "filename":
			filename = strings.ToValidUTF8(string(value), "")
		case key == "sha256":
			sum, err := hex.DecodeString(string(value))
			if err != nil || len(sum) != sha256.Size {
				bad.add("Upload-Metadata", "value.not_hex")
				return "", announced
			}
			announced = [sha256.Size]byte(sum)
		}
	}
	return filename, announced
}

// parseUploadID reads the member that names an upload in place of the file.
func parseUploadID(p phrase, bad *problems) contract.UploadID {
	return contract.UploadID(strings.TrimSpace(p.checkedValue("upload_id", bad)))
}

// limitsData are the limits of a file that a client can check before it sends anything.
type limitsData struct {
	FileSize int64 `json:"file_size" doc:"largest file, in bytes" example:"52428800"`
	Pages    int   `json:"pages" doc:"largest number of pages of a document; files that are only verified may have more" example:"2000"`
}

func (c *call) loadLimits() (limitsData, error) {
	return limitsData{FileSize: c.Limits.FileSize, Pages: c.Limits.Pages}, nil
}

// tusHeader describes a header of tus in the specification.
func tusHeader(name, about string, required bool) *huma.Param {
	return &huma.Param{Name: name, In: "header", Required: required, Description: about, Schema: textSchema()}
}

var (
	tusParam    = tusHeader("Tus-Resumable", "1.0.0; any other version is 412.", true)
	uploadParam = &huma.Param{Name: "upload_id", In: "path", Required: true, Description: "From the answer to begin-upload.", Schema: textSchema()}
)

// tusAnswer describes an answer of tus without a body.
func tusAnswer(status int, about string) map[string]*huma.Response {
	text := func(about string) *huma.Param { return &huma.Param{Description: about, Schema: textSchema()} }
	return map[string]*huma.Response{strconv.Itoa(status): {Description: about, Headers: map[string]*huma.Param{
		"Tus-Resumable": text("1.0.0"), "Upload-Offset": text("Bytes that are stored."), "Upload-Expires": text("Until when the upload can be continued (RFC 9110 date)."),
	}}}
}
