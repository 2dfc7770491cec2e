package peruri

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"segel/internal/emeterai"
	"segel/pades"
)

// uploadedFile is an uploaded file.
type uploadedFile struct {
	id     string // the office's
	digest string // SHA-256, hexadecimal
}

// uploadFile sends a file to the office. It costs nothing.
func (d *Driver) uploadFile(ctx context.Context, src pades.Source, name string) (uploadedFile, error) {
	if src.R == nil || src.Size <= 0 {
		return uploadedFile{}, &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeOrder, Text: "the order has no file to upload"}
	}
	var doc uploadedFile
	err := d.withToken(ctx, func(l accessToken) error {
		h := sha256.New()
		body, size, kind, err := buildUploadForm(src, name, l.token, h)
		if err != nil {
			return err
		}
		got, err := d.callJSON(ctx, call{
			name: "uploaddoc2", method: http.MethodPost, url: d.o.SerialURL + "/uploaddoc2", token: l.token, kind: kind, body: body, size: size,
			breaker: d.officeBreaker, timeout: d.o.StampTimeout, limit: answerLimit,
		})
		if err != nil {
			return err
		}
		doc.id, err = parseUpload(got.body)
		doc.digest = hex.EncodeToString(h.Sum(nil))
		return d.classifyAnswer("uploaddoc2", emeterai.Transient, err, got.status)
	})
	return doc, err
}

// buildUploadForm makes the body of an upload, whose file is read, and hashed, as it is sent.
func buildUploadForm(src pades.Source, name, token string, h io.Writer) (body io.Reader, size int64, kind string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary("segel" + rand.Text()); err != nil {
		return nil, 0, "", err
	}
	if err := w.WriteField("token", token); err != nil {
		return nil, 0, "", err
	}
	if _, err := w.CreateFormFile("file", name); err != nil {
		return nil, 0, "", err
	}
	before := bytes.Clone(b.Bytes())
	b.Reset()
	if err := w.Close(); err != nil {
		return nil, 0, "", err
	}
	after := b.Bytes()
	body = io.MultiReader(bytes.NewReader(before), io.TeeReader(io.NewSectionReader(src.R, 0, src.Size), h), bytes.NewReader(after))
	return body, int64(len(before)) + src.Size + int64(len(after)), w.FormDataContentType(), nil
}

// stampUploaded has the office stamp an uploaded file, and fetches it.
func (d *Driver) stampUploaded(ctx context.Context, at slot, r emeterai.Request, body signRequest) ([]byte, error) {
	if err := copySource(io.Discard, r); err != nil {
		return nil, localProblem(err)
	}
	kept := d.records.findRecord(r.Serial)
	onPrem := false
	body.OnPrem, body.Picture = &onPrem, kept.Code
	var got signResult
	err := errNoUpload
	if kept.Document != "" && kept.Digest == hex.EncodeToString(r.Digest[:]) {
		body.Document = kept.Document
		got, err = d.callDocSigning(ctx, at, at.url+signCloud, body)
	}
	// The upload may be gone, or was never known here. The bytes are the same, and that is what counts.
	if errors.Is(err, errNoUpload) || emeterai.ClassOf(err) == emeterai.Refused {
		doc, err := d.uploadFile(ctx, r.Source, r.Serial+".pdf")
		if err != nil {
			return nil, err
		}
		kept.Document, kept.Digest, body.Document = doc.id, doc.digest, doc.id
		if err := d.records.storeRecord(kept); err != nil {
			return nil, fileProblem(err)
		}
		if got, err = d.callDocSigning(ctx, at, at.url+signCloud, body); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return d.fetchStamped(ctx, at, r, got.url)
}

const signCloud = "/keystamp/adapter/docSigningZ"

var errNoUpload = errors.New("the file was not uploaded")

// resolveFileURL resolves the address of a stamped file. The token goes to nobody whom the configuration does not name.
func (d *Driver) resolveFileURL(at slot, where string) (string, error) {
	base, err := url.Parse(at.url + "/")
	if err != nil {
		return "", err
	}
	u, err := base.Parse(where)
	if err != nil || where == "" {
		return "", errors.New("it is none")
	}
	for _, known := range []string{d.o.LoginURL, d.o.SerialURL, d.o.CloudURL} {
		k, err := url.Parse(known)
		if err == nil && u.Scheme == k.Scheme && u.Host == k.Host && u.User == nil {
			return u.String(), nil
		}
	}
	return "", fmt.Errorf("it leads to %s, which is not an address of the office in the configuration", u.Host)
}

func pathSegment(s string) string { return url.PathEscape(s) }

// fillSerialPath puts a serial into a path with {serial} in it.
func fillSerialPath(pattern, serial string) string {
	return strings.ReplaceAll(pattern, "{serial}", url.QueryEscape(serial))
}
