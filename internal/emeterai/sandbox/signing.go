package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strings"

	"segel/internal/emeterai"
	"segel/pades"
	"segel/pdf"
)

// signRequest is the body of docSigningZ.
type signRequest struct {
	Profile   string `json:"profileName"`
	Src       string `json:"src"`
	Dest      string `json:"dest"`
	Picture   string `json:"spesimenPath"`
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
	OnPrem    *bool  `json:"onPrem"`
	DocID     string `json:"docId"`
}

// signResult is the answer of docSigningZ, always with status 200.
type signResult struct {
	Status  string `json:"status"` // True or False
	Code    string `json:"errorCode"`
	Message string `json:"errorMessage"`
	URLFile string `json:"urlFile,omitempty"`
}

func (s signResult) asAnswer() answer { return answer{body: s} }

// Codes with which docSigningZ refuses.
const (
	signEmpty     = "90"
	signProfile   = "91"
	signChanged   = "80"
	signUnparsed  = "82"
	signCertified = "83"
	signBusy      = "94"
	signUnknown   = "97" // the office does not know; also a serial that it never issued
)

func notSigned(code, format string, args ...any) signResult {
	return signResult{Status: "False", Code: code, Message: fmt.Sprintf(format, args...)}
}

// signShared stamps a file in the shared folder.
func (s *Server) signShared(ctx context.Context, r *http.Request, f Fault) answer {
	var in signRequest
	if err := decodeBody(r, &in); err != nil {
		return notSigned(signEmpty, "%v", err).asAnswer()
	}
	src, dest, pic := s.sharedPath(in.Src), s.sharedPath(in.Dest), s.sharedPath(in.Picture)
	if src == "" || dest == "" || pic == "" {
		return notSigned(signEmpty, "src, dest and spesimenPath must lie in %s", s.o.Mount).asAnswer()
	}
	if _, err := s.shared.Stat(pic); err != nil {
		return notSigned(signEmpty, "there is no picture at spesimenPath").asAnswer()
	}
	if err := s.adapter.Acquire(ctx, 1); err != nil {
		return explainFailure(err).asAnswer()
	}
	defer s.adapter.Release(1)
	return s.signFile(ctx, in, f, folderFile{root: s.shared, name: src}, folderFile{root: s.shared, name: dest}).asAnswer()
}

// sharedPath returns a client's path relative to the shared folder, or nothing.
func (s *Server) sharedPath(name string) string {
	rest, ok := strings.CutPrefix(path.Clean(name), s.o.Mount+"/")
	if !ok {
		return ""
	}
	return rest
}

// folderFile is a file in a folder.
type folderFile struct {
	root *os.Root
	name string
	tail string // of a stamped file: where only what the stamp adds to the source is written instead, if it extends the source; empty: nowhere
}

func (p folderFile) createFile() (*os.File, error) {
	return p.root.OpenFile(p.name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

// signFile stamps src and writes dest.
func (s *Server) signFile(ctx context.Context, in signRequest, f Fault, src, dest folderFile) signResult {
	user, ok := s.findUser(in.Token)
	switch {
	case !ok:
		return notSigned(codeToken, "token is not valid")
	case in.Profile != "emeteraicertificateSigner" || in.Level != "NOT_CERTIFIED":
		return notSigned(signProfile, "profile %q or level %q is not known", in.Profile, in.Level)
	case in.Serial == "" || in.Reason == "" || in.Page < 1 || in.LLX >= in.URX || in.LLY >= in.URY:
		return notSigned(signEmpty, "refToken, reason, page or box is missing")
	}
	if _, ok := s.office.findSerial(user, in.Serial); !ok {
		return notSigned(signUnknown, "serial %s is not known", in.Serial)
	}
	file, err := src.root.Open(src.name)
	if err != nil {
		return notSigned(signUnparsed, "src cannot be opened")
	}
	defer file.Close()
	if err := s.stampFile(ctx, in, f, file, dest); err != nil {
		s.o.Log.InfoContext(ctx, "not stamped", "serial", in.Serial, "error", err)
		return explainFailure(err)
	}
	return signResult{Status: "True", Code: codeOK}
}

// explainFailure maps an error to the codes of the protocol.
func explainFailure(err error) signResult {
	var p *emeterai.Problem
	switch {
	case errors.Is(err, pades.ErrCertified), errors.Is(err, pades.ErrFieldLocked):
		return notSigned(signCertified, "the document is certified against changes")
	case !errors.As(err, &p):
		return notSigned(signBusy, "the office cannot work just now")
	case p.Code == emeterai.CodeSource:
		return notSigned(signChanged, "%s", p.Text)
	case p.Code == emeterai.CodeSerial:
		return notSigned(signUnknown, "%s", p.Text)
	case p.Class == emeterai.Permanent:
		return notSigned(signUnparsed, "%s", p.Text)
	}
	return notSigned(signBusy, "%s", p.Text)
}

// stampFile stamps an open file and writes the result.
func (s *Server) stampFile(ctx context.Context, in signRequest, f Fault, file *os.File, dest folderFile) error {
	src, digest, err := s.openSource(file)
	if err != nil {
		return err
	}
	req := emeterai.Request{Serial: in.Serial, Source: src, Digest: digest, Page: in.Page, Reason: in.Reason, Location: in.Location}
	c, err := s.office.admitRequest(ctx, req)
	if err != nil {
		return err
	}
	d, err := pdf.Open(src.R, src.Size, pdf.Options{})
	if err != nil {
		return unreadableFile(err)
	}
	req.Source.Opened = d
	n, err := d.PageCount()
	if err != nil {
		return unreadableFile(err)
	}
	req.Page = min(in.Page, n) // as the real office does, without saying so
	// Unchanged: the real office ignores rotation and crop box.
	rect := pdf.Rect{LLX: float64(in.LLX), LLY: float64(in.LLY), URX: float64(in.URX), URY: float64(in.URY)}
	whole, err := s.office.affixWithFault(ctx, f, c, req, rect, n)
	switch {
	case err == nil:
	case isPermanent(err):
		return permanentProblem(emeterai.CodeFile, "the file cannot be stamped", err)
	default:
		return unavailable(err)
	}
	// As with Stamp, the serial belongs to the source from here on.
	if err := s.office.bindSerial(ctx, req); err != nil {
		return err
	}
	from := int64(0)
	if dest.tail != "" && f != FaultRewritten && f != FaultHalf {
		dest.name, from = dest.tail, src.Size
	}
	return writeStamped(dest, whole, from, f == FaultHalf)
}

// openSource hashes a file from end to end.
func (s *Server) openSource(file *os.File) (pades.Source, [32]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return pades.Source{}, [32]byte{}, unavailable(err)
	}
	if !info.Mode().IsRegular() || info.Size() > s.o.MaxFile {
		return pades.Source{}, [32]byte{}, permanentProblem(emeterai.CodeFile, "src is not a regular file, or too large", nil)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(file, 0, info.Size())); err != nil {
		return pades.Source{}, [32]byte{}, unavailable(err)
	}
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return pades.Source{}, [32]byte{}, unavailable(err)
	}
	return pades.Source{R: file, Size: info.Size(), Midstate: state}, [32]byte(h.Sum(nil)), nil
}

// writeStamped writes a stamped file from an offset on, in place, as the real office does; with a fault, half of it.
func writeStamped(p folderFile, whole pades.Source, from int64, half bool) error {
	out, err := p.createFile()
	if err != nil {
		return unavailable(err)
	}
	n := whole.Size
	if half {
		n /= 2
	}
	_, err = io.Copy(out, io.NewSectionReader(whole.R, from, n-from))
	if err := errors.Join(err, out.Close()); err != nil {
		return unavailable(err)
	}
	return nil
}
