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

	"segel/internal/emeterai"
	"segel/pades"
)

// uploadedFile is a file that was uploaded to the office.
type uploadedFile struct {
	id     string // the office's identifier
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

// buildUploadForm returns the body of an upload. The file is read and hashed while it is sent.
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

// stampUploaded has the office stamp an uploaded file, and fetches the result.
func (d *Driver) stampUploaded(ctx context.Context, at *address, r emeterai.Request, body signRequest) ([]byte, error) {
	rec, err := d.records.findRecord(ctx, r.Serial)
	if err != nil {
		return nil, fileProblem(err)
	}
	digest, onPrem := hex.EncodeToString(r.Digest[:]), false
	body.OnPrem, body.Picture = &onPrem, rec.Code
	var got signResult
	err = errNoUpload
	if rec.Document != "" && rec.Digest == digest {
		// The source was hashed while it was sent, so it is not read again. But another run may have sent it, long ago: then a source that has changed here
		// is found before the serial is affixed, rather than when the returned file differs.
		if r.MaybeSent {
			if err := copySource(io.Discard, r); err != nil {
				return nil, localProblem(err)
			}
		}
		body.Document = rec.Document
		got, err = d.callDocSigning(ctx, at, at.url+signCloud, body)
	}
	// The upload may be deleted, or was never known here. Uploading again is safe, because the bytes are the same.
	if errors.Is(err, errNoUpload) || emeterai.ClassOf(err) == emeterai.Refused {
		doc, err := d.uploadFile(ctx, r.Source, r.Serial+".pdf")
		if err != nil {
			return nil, err
		}
		if doc.digest != digest { // the office would refuse it permanently, or affix the serial to it
			return nil, changedSource()
		}
		rec.Document, rec.Digest, body.Document = doc.id, doc.digest, doc.id
		if err := d.records.storeRecord(ctx, rec); err != nil {
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

// resolveFileURL resolves the URL of a stamped file. The token is sent only to hosts in the configuration.
func (d *Driver) resolveFileURL(at *address, where string) (string, error) {
	base, err := url.Parse(at.url + "/")
	if err != nil {
		return "", err
	}
	u, err := base.Parse(where)
	if err != nil || where == "" {
		return "", errors.New("it is not a URL")
	}
	for _, known := range []string{d.o.LoginURL, d.o.SerialURL, d.o.CloudURL} {
		k, err := url.Parse(known)
		if err == nil && u.Scheme == k.Scheme && u.Host == k.Host && u.User == nil {
			return u.String(), nil
		}
	}
	return "", fmt.Errorf("its host %s is not that of an address in the configuration", u.Host)
}
