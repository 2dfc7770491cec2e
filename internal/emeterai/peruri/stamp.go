package peruri

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
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
	if !serialForm.MatchString(r.Serial) {
		return nil, unknownSerial(r.Serial)
	}
	body, err := buildSignRequest(r)
	if err != nil {
		return nil, err
	}
	again := d.recordStampCall(r.Serial) || r.MaybeSent
	if again {
		// What became of the last try: nothing, a stamp whose file was lost, or the office never heard of the serial.
		if _, err := d.SerialStatus(ctx, r.Serial); err != nil {
			return nil, err
		}
	}
	body.RetryFlag = "0"
	if again {
		body.RetryFlag = "1"
	}
	at, err := d.slots.acquireSlot(ctx)
	if err != nil {
		return nil, err
	}
	defer d.slots.releaseSlot(at)
	stamp := d.stampShared
	if d.o.Form == Cloud {
		stamp = d.stampUploaded
	}
	tail, err := stamp(ctx, at, r, body)
	if err != nil {
		return nil, err
	}
	d.records.retireRecord(r.Serial, d.o.Clock())
	return tail, nil
}

// recordStampCall notes that a serial's stamping is tried, and reports whether it was before.
func (d *Driver) recordStampCall(serial string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.orderBySerial, serial) // whoever comes to stamp it has bound it
	now := d.o.Clock()
	_, before := d.stampCalls[serial]
	if len(d.stampCalls) > 10_000 { // a bound, not a memory: the caller says Again of what he does not know
		for s, at := range d.stampCalls {
			if now.Sub(at) > orderRetention {
				delete(d.stampCalls, s)
			}
		}
	}
	d.stampCalls[serial] = now
	return before
}

// buildSignRequest checks page and box and turns the box into what the office takes: whole numbers of default user space.
func buildSignRequest(r emeterai.Request) (signRequest, error) {
	refused := func(text string, err error) (signRequest, error) {
		return signRequest{}, &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodePlace, Text: text, Err: err}
	}
	doc, err := r.OpenSource()
	if err != nil {
		return signRequest{}, sourceError(err)
	}
	page, err := doc.Page(r.Page)
	if err != nil {
		return refused(fmt.Sprintf("there is no page %d", r.Page), err) // the office would move it to the last one
	}
	b := r.Box
	w, h := page.DisplayedSize()
	if b.LLX >= b.URX || b.LLY >= b.URY || b.LLX < -boxTolerance || b.LLY < -boxTolerance || float64(b.URX) > w+boxTolerance || float64(b.URY) > h+boxTolerance {
		return refused(fmt.Sprintf("box %v is not on a page of %.0f by %.0f points", b, w, h), nil)
	}
	rect := page.ToUser(pdf.Rect{LLX: float64(b.LLX), LLY: float64(b.LLY), URX: float64(b.URX), URY: float64(b.URY)})
	whole := func(x float64) int { return int(math.Round(x)) }
	return signRequest{
		Profile: "emeteraicertificateSigner", Level: "NOT_CERTIFIED", Reason: orDefault(r.Reason, "e-meterai"), Location: orDefault(r.Location, "Indonesia"), Serial: r.Serial,
		Page: r.Page, LLX: whole(rect.LLX), LLY: whole(rect.LLY), URX: whole(rect.URX), URY: whole(rect.URY),
	}, nil
}

// boxTolerance is how far a box may stick out of its page, in points: no more than rounding makes of it.
const boxTolerance = 1

// sourceError tells a file that will never be read from bytes that could not be fetched just now.
func sourceError(err error) error {
	var damage *pdf.Error
	if errors.As(err, &damage) {
		return &emeterai.Problem{Class: emeterai.Refused, Code: emeterai.CodeFile, Text: "the file cannot be read", Err: err}
	}
	return fmt.Errorf("read the source: %w", err)
}

// copySource writes the source and checks that it is what was bound: the same serial with other bytes would be refused
// for good, or worse.
func copySource(w io.Writer, r emeterai.Request) error {
	h := sha256.New()
	lent := bufferPool.Get().(*[2][32 << 10]byte)
	defer bufferPool.Put(lent)
	n, err := io.CopyBuffer(io.MultiWriter(w, h), io.NewSectionReader(r.Source.R, 0, r.Source.Size), lent[0][:])
	if err != nil {
		return err
	}
	if n != r.Source.Size {
		return fmt.Errorf("read the source: %d of %d bytes: %w", n, r.Source.Size, io.ErrUnexpectedEOF)
	}
	if [32]byte(h.Sum(nil)) != r.Digest {
		return &emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSource, Text: "the source is not what the serial was bound to"}
	}
	return nil
}

// stampShared has the adapter stamp a file in the shared folder.
func (d *Driver) stampShared(ctx context.Context, at slot, r emeterai.Request, body signRequest) ([]byte, error) {
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
func (d *Driver) stampInFolder(ctx context.Context, t *stampFiles, at slot, r emeterai.Request, body signRequest, picture []byte) ([]byte, error) {
	if err := t.writeInputs(r, picture); err != nil {
		return nil, localProblem(err)
	}
	body.Src, body.Dest, body.Picture = t.adapterPath(t.sourceName()), t.adapterPath(t.stampedName()), t.adapterPath(t.pictureName())
	if _, err := d.callDocSigning(ctx, at, at.url+"/adapter/pdfsigning/rest/docSigningZ", body); err != nil {
		return nil, err
	}
	f, err := t.openStamped()
	if err != nil {
		return nil, incompleteFile("the adapter says it stamped, and there is no file", err)
	}
	defer f.Close()
	return d.extractTail(ctx, r, f)
}

// callDocSigning calls docSigningZ.
func (d *Driver) callDocSigning(ctx context.Context, at slot, url string, body signRequest) (signResult, error) {
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

// codeClasses of docSigningZ's codes; whatever is not here is unknown.
var codeClasses = map[string]emeterai.Class{
	"90": emeterai.Config, "91": emeterai.Config,
	"80": emeterai.Refused, "81": emeterai.Refused, "82": emeterai.Refused, "83": emeterai.Refused,
	"93": emeterai.Transient, "94": emeterai.Transient, "70": emeterai.Transient,
	"92": emeterai.Unknown, "95": emeterai.Unknown, "96": emeterai.Unknown, "97": emeterai.Unknown,
}

// classifyResult turns what docSigningZ said into a problem, or none.
func (d *Driver) classifyResult(s signResult, status int) error {
	if s.ok {
		return nil
	}
	if s.code == codeToken {
		return errTokenRefused
	}
	p := &emeterai.Problem{Class: orDefault(codeClasses[s.code], emeterai.Unknown), Code: s.code, Text: orDefault(d.redactText(s.message), "the office does not say why")}
	if status >= 400 && codeClasses[s.code] == "" {
		p.Class = emeterai.Config
	}
	if p.Class == emeterai.Config {
		p.After = configWait
	}
	return p
}

// localProblem is a problem on our side of the way: it keeps what is a problem already.
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
