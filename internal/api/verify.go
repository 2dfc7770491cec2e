package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"segel/internal/contract"
	"segel/internal/identity"
	"segel/internal/report"
	"segel/internal/text/verdict"
	"segel/internal/workflow"
)

// verifyIn is the body of a verification. DocumentBase64 stays empty, as in [uploadIn].
type verifyIn struct {
	DocumentBase64 phrase `json:"document_base64" required:"true" doc:"the PDF in base64, as for an upload" example:"JVBERi0xLjcK..."`
	Filename       phrase `json:"filename" required:"false" doc:"for the report" example:"sewa.pdf"`
	Explain        binary `json:"explain" required:"false" doc:"1: list every check with its outcome"`
	Password       phrase `json:"password" required:"false" doc:"opens an encrypted file; not stored"`
}

// Bounds of one verification. Its cost is bounded by the file's size; one that takes longer is aborted.
const verifyTimeout = time.Minute

// verifyRestLimit bounds what accompanies a file to be verified, in bytes: it is held in memory, and its sender has
// no account.
const verifyRestLimit = 64 << 10

func (c *call) lookUpSerial() (serialData, error) {
	if err := c.requireVerifyRate(); err != nil {
		return serialData{}, err
	}
	k, err := c.Workflow.StampBySerial(c.r.Context(), c.r.PathValue("serial"))
	if contract.KindOf(err) == contract.NotFound {
		return serialData{}, contract.Refuse(contract.NotFound, "serial.not_found")
	}
	if err != nil {
		return serialData{}, err
	}
	return c.serialData(k), nil
}

// serialData is what anyone may know about a duty stamp.
type serialData struct {
	Serial    string `json:"serial" example:"SPESIMEN-0000000000001"`
	Office    string `json:"office" doc:"sandbox: specimens of this service, without legal value; official: stamps of the stamp office" enum:"sandbox,official"`
	Specimen  bool   `json:"specimen" doc:"without legal value"`
	AffixedAt string `json:"affixed_at" doc:"ISO 8601 in UTC" example:"2024-10-14T06:06:07.089Z"`
	Notice    string `json:"notice" doc:"a sentence in the language of the request" example:"SPESIMEN: meterai contoh tanpa nilai hukum, dibubuhkan melalui layanan ini."`
}

func (c *call) serialData(k workflow.KnownStamp) serialData {
	d := serialData{Serial: k.Serial, Office: "official", Specimen: k.Specimen, AffixedAt: formatISO(k.AffixedAt), Notice: c.sentenceOf("serial.affixed")}
	if k.Specimen {
		d.Office, d.Notice = "sandbox", c.sentenceOf("serial.specimen")
	}
	return d
}

// requireVerifyRate counts one request of an address. A verification costs more than most requests and needs no
// account.
func (c *call) requireVerifyRate() error {
	if wait := admitClient(c.verifyRates, c.client, c.Clock()); wait > 0 {
		return tooManyRequests(wait)
	}
	return nil
}

// verifyFile receives a file, has it verified and discards it. Callers need no account, so their files are queued
// apart from those of members, and each address has its share. The request holds an upload slot while the body
// arrives, a verification slot only once the file has arrived completely, and neither while the answer is written.
func (c *call) verifyFile() error {
	if err := c.requireVerifyRate(); err != nil {
		return err
	}
	v, err := c.verifyUpload(identity.Network(c.client))
	if err != nil {
		return err
	}
	return c.writeAnswer(http.StatusOK, foundAnswer(verdictOf(v)))
}

// sendVerificationReport is [call.verifyFile] with the report as a PDF file.
func (c *call) sendVerificationReport() error {
	if err := c.requireVerifyRate(); err != nil {
		return err
	}
	v, err := c.verifyUpload(identity.Network(c.client))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.Write(&b, verdictOf(v), report.Options{Language: c.language, Address: c.Workflow.VerifyURL}); err != nil {
		return err
	}
	_, _ = b.WriteTo(&attachment{c, pdfType, "verification-report.pdf"}) // if this fails, the client has gone
	return nil
}

func verdictOf(v *workflow.Verified) *verdict.Report {
	r := verdict.New(v.Report, v.Stamps)
	if v.Removal != nil {
		r.AddRemoval(v.Removal.At)
	}
	return r
}

func (c *call) verifyUpload(address string) (v *workflow.Verified, err error) {
	release, err := c.acquireSlot(c.shares.verifyUploads, address, c.UploadWait)
	if err != nil {
		return nil, err
	}
	defer release()
	file, err := c.Workflow.NewVerificationFile()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Discard()) }()
	spool := &meteringWriter{to: file, shares: c.shares.verifySpool, key: address, step: spoolStep}
	defer spool.releaseSpace()
	o, err := c.readVerification(spool)
	if err != nil {
		return nil, err
	}
	release()
	releaseVerification, err := c.acquireSlot(c.shares.verifications, address, c.VerifyWait)
	if err != nil {
		return nil, err
	}
	defer releaseVerification()
	ctx, cancel := context.WithTimeout(c.r.Context(), verifyTimeout)
	defer cancel()
	return c.Workflow.Verify(ctx, file, o)
}

// readVerification reads the body in the format that its Content-Type names.
func (c *call) readVerification(sink io.Writer) (workflow.VerifyOptions, error) {
	as, limits := jsonFormat, c.intakeLimits()
	limits.Rest = verifyRestLimit
	if media, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); media == "multipart/form-data" {
		as = formFormat
	}
	in, info, err := receiveFile(c, as, limits, sink, func(fields map[string]string, filename string) (verifyIn, error) {
		return parseVerifyForm(fields, filename), nil
	})
	if err != nil {
		return workflow.VerifyOptions{}, err
	}
	var bad problems
	if !info.Present {
		bad.add(as.member, "file.missing")
	}
	o := workflow.VerifyOptions{Name: in.Filename.checkedValue("filename", &bad), Explain: in.Explain.checkedValue("explain", &bad), Password: in.Password.checkedValue("password", &bad)}
	return o, bad.asError()
}

// parseVerifyForm reads the fields of a form as if they were members of a JSON body.
func parseVerifyForm(fields map[string]string, filename string) verifyIn {
	in := verifyIn{Filename: phrase{value: fields["filename"]}, Password: phrase{value: fields["password"]}}
	if in.Filename.value == "" {
		in.Filename.value = filename
	}
	switch fields["explain"] {
	case "":
	case "1", "true":
		in.Explain = binary{value: true, given: true}
	case "0", "false":
		in.Explain = binary{given: true}
	default:
		in.Explain = binary{bad: true}
	}
	return in
}
