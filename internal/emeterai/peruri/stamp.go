package peruri

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"time"

	"segel/internal/emeterai"
	"segel/pdf"
)

// signRequest is the body of docSigningZ.
type signRequest struct {
	Profile   string `json:"profileName"`
	Src       string `json:"src,omitempty"`
	Dest      string `json:"dest,omitempty"`
	Picture   string `json:"spesimenPath,omitempty"`
	Reason    string `json:"reason"`
	Location  string `json:"location"`
	Level     string `json:"certificatelevel"`
	Page      int    `json:"visSignaturePage"`
	LLX       int    `json:"visLLX"`
	LLY       int    `json:"visLLY"`
	URX       int    `json:"visURX"`
	URY       int    `json:"visURY"`
	Password  string `json:"docpass"`
	Token     string `json:"jwToken"`
	Serial    string `json:"refToken"`
	RetryFlag string `json:"retryFlag"`
	OnPrem    *bool  `json:"onPrem,omitempty"`
	Document  string `json:"docId,omitempty"`
}

// Stamp implements [emeterai.Stamper].
func (d *Driver) Stamp(ctx context.Context, r emeterai.Request) ([]byte, error) {
	if !serialForm().MatchString(r.Serial) {
		return nil, unknownSerial(r.Serial)
	}
	body, err := buildSignRequest(r)
	if err != nil {
		return nil, err
	}
	again := d.recordStampCall(r.Serial) || r.MaybeSent
	if again {
		// What became of the last try: nothing, a stamp whose file was lost, or the office does not know the serial.
		if _, err := d.SerialStatus(ctx, r.Serial); err != nil {
			return nil, err
		}
	}
	body.RetryFlag = "0"
	if again {
		body.RetryFlag = "1"
	}
	at, release, err := d.acquireSlot(ctx, r.Organisation)
	if err != nil {
		return nil, err
	}
	defer release()
	stamp := d.stampShared
	if d.o.Form == Cloud {
		stamp = d.stampUploaded
	}
	tail, err := stamp(ctx, at, r, body)
	if err != nil {
		return nil, err
	}
	d.records.retireRecord(ctx, r.Serial, d.o.Clock())
	return tail, nil
}

// sweepStampCalls is how often serials are forgotten that were stamped more than orderRetention ago.
const sweepStampCalls = time.Hour

// recordStampCall records that a serial is about to be stamped, and reports whether it was before.
func (d *Driver) recordStampCall(serial string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.orderBySerial, serial) // a caller that stamps it has bound it
	now := d.o.Clock()
	_, before := d.stampCalls[serial]
	if now.Sub(d.stampCallsSwept) > sweepStampCalls { // a limit on memory only: the caller sets MaybeSent for what it does not know
		d.stampCallsSwept = now
		maps.DeleteFunc(d.stampCalls, func(_ string, at time.Time) bool { return now.Sub(at) > orderRetention })
	}
	d.stampCalls[serial] = now
	return before
}

// buildSignRequest checks page and box and converts the box to what the office takes: whole numbers of default user
// space.
func buildSignRequest(r emeterai.Request) (signRequest, error) {
	doc, err := r.OpenSource()
	if err != nil {
		return signRequest{}, sourceError(err)
	}
	rect, err := r.UserRect(doc)
	if err != nil {
		return signRequest{}, err
	}
	whole := func(x float64) int { return int(math.Round(x)) }
	return signRequest{
		Profile: "emeteraicertificateSigner", Level: "NOT_CERTIFIED", Reason: cmp.Or(r.Reason, "e-meterai"), Location: cmp.Or(r.Location, "Indonesia"), Serial: r.Serial,
		Page: r.Page, LLX: whole(rect.LLX), LLY: whole(rect.LLY), URX: whole(rect.URX), URY: whole(rect.URY),
	}, nil
}

// sourceError distinguishes a file that can never be parsed from bytes that could not be read at the moment.
func sourceError(err error) error {
	var damage *pdf.Error
	if errors.As(err, &damage) {
		return &emeterai.Problem{Class: emeterai.Refused, Code: emeterai.CodeFile, Text: "the file cannot be read", Err: err}
	}
	return fmt.Errorf("read the source: %w", err)
}

// copySource writes the source and checks its digest: the same serial with other bytes would be refused permanently,
// or worse.
func copySource(w io.Writer, r emeterai.Request) error {
	h := sha256.New()
	buf := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(buf)
	n, err := io.CopyBuffer(io.MultiWriter(w, h), io.NewSectionReader(r.Source.R, 0, r.Source.Size), buf[0][:])
	if err != nil {
		return err
	}
	if n != r.Source.Size {
		return fmt.Errorf("read the source: %d of %d bytes: %w", n, r.Source.Size, io.ErrUnexpectedEOF)
	}
	if [32]byte(h.Sum(nil)) != r.Digest {
		return changedSource()
	}
	return nil
}

// changedSource returns the problem of a source whose digest is not that of the request.
func changedSource() error {
	return &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSource, Text: "the source is not what the serial was bound to"}
}

// stampShared has the adapter stamp a file in the shared folder.
func (d *Driver) stampShared(ctx context.Context, at *address, r emeterai.Request, body signRequest) ([]byte, error) {
	picture, err := d.loadPicture(ctx, r.Serial)
	if err != nil {
		return nil, err
	}
	d.shared.removeOld(d.o.Clock())
	t, err := d.shared.newStampFiles()
	if err != nil {
		return nil, fileProblem(err)
	}
	tail, err := d.stampInFolder(ctx, t, at, r, body, picture)
	if err != nil {
		t.removeFiles()
		return nil, err
	}
	t.recycleFiles()
	return tail, nil
}

// stampInFolder has the adapter stamp the files of a try.
func (d *Driver) stampInFolder(ctx context.Context, t *stampFiles, at *address, r emeterai.Request, body signRequest, picture []byte) ([]byte, error) {
	if err := t.writeInputs(r, picture); err != nil {
		return nil, localProblem(err)
	}
	body.Src, body.Dest, body.Picture = t.adapterPath(t.sourceName()), t.adapterPath(t.stampedName()), t.adapterPath(t.pictureName())
	if _, err := d.callDocSigning(ctx, at, at.url+"/adapter/pdfsigning/rest/docSigningZ", body); err != nil {
		return nil, err
	}
	f, err := d.shared.openRegular(t.stampedName(), os.O_RDONLY)
	if err != nil {
		return nil, incompleteFile("the adapter reports success, but there is no stamped file", err)
	}
	defer f.Close()
	return d.extractTail(ctx, r, f)
}

// extractTail returns the bytes that a stamped file in the shared folder adds to the source. The adapter may change the file meanwhile.
func (d *Driver) extractTail(ctx context.Context, r emeterai.Request, f *os.File) ([]byte, error) {
	before, err := f.Stat()
	if err != nil {
		return nil, localProblem(err)
	}
	tail, problem, err := d.readTail(ctx, r, f)
	switch n := r.Source.Size + int64(len(tail)); {
	case err != nil:
		return nil, localProblem(err)
	case problem != nil:
		return nil, problem
	case n != before.Size():
		return nil, incompleteFile(fmt.Sprintf("the stamped file had %d bytes, and %d when it was read", before.Size(), n), nil)
	}
	return tail, nil
}

// callDocSigning calls docSigningZ.
func (d *Driver) callDocSigning(ctx context.Context, at *address, url string, body signRequest) (signResult, error) {
	var got signResult
	err := d.withToken(ctx, func(l accessToken) error {
		body.Token = l.token
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		answer, err := d.callJSON(ctx, call{
			name: "docSigningZ", method: http.MethodPost, url: url, token: l.token, kind: jsonType, body: bytes.NewReader(b), size: int64(len(b)),
			effect: true, breaker: at.breaker, timeout: d.o.StampTimeout, limit: answerLimit,
		})
		if err != nil {
			return err
		}
		if got, err = parseSignResult(answer.body); err != nil {
			return d.classifyAnswer("docSigningZ", emeterai.Unknown, err, answer.status)
		}
		return d.classifyResult(got, answer.status)
	})
	return got, err
}

// codeClasses are the classes of docSigningZ's codes; all other codes are Unknown.
var codeClasses = map[string]emeterai.Class{
	"90": emeterai.Config, "91": emeterai.Config,
	"80": emeterai.Refused, "81": emeterai.Refused, "82": emeterai.Refused, "83": emeterai.Refused,
	"93": emeterai.Transient, "94": emeterai.Transient, "70": emeterai.Transient,
	"92": emeterai.Unknown, "95": emeterai.Unknown, "96": emeterai.Unknown, "97": emeterai.Unknown,
}

// classifyResult turns the answer of docSigningZ into a problem, or nil.
func (d *Driver) classifyResult(s signResult, status int) error {
	if s.ok {
		return nil
	}
	if s.code == codeToken {
		return errTokenRefused
	}
	p := &emeterai.Problem{Class: cmp.Or(codeClasses[s.code], emeterai.Unknown), Code: s.code, Text: cmp.Or(d.redactText(s.message), "the office does not say why")}
	if status >= 400 && codeClasses[s.code] == "" {
		p.Class = emeterai.Config
	}
	if p.Class == emeterai.Config {
		p.After = configWait
	}
	return p
}

// localProblem returns the problem of a local error; an error that is a problem already is returned unchanged.
func localProblem(err error) error {
	var p *emeterai.Problem
	if errors.As(err, &p) {
		return p
	}
	return fileProblem(err)
}

func fileProblem(err error) error {
	return &emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeDown, Text: "files for the stamp office cannot be written or read", After: 10 * time.Second, Err: err}
}
