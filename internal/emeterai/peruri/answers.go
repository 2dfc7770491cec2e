package peruri

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"segel/internal/emeterai"
)

// Codes of the protocol.
const (
	codeOK    = "00"
	codeToken = "01"
	codeQuota = "93"
)

// word is a value that the office spells as a text, a number or a truth value, as it likes.
type word string

// UnmarshalJSON reads any of them; null and what is no single value is empty.
func (w *word) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case string:
		*w = word(v)
	case bool:
		*w = word(strconv.FormatBool(v))
	case float64:
		*w = word(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		*w = ""
	}
	return nil
}

// head is what most answers begin with.
type head struct {
	Code    word            `json:"statusCode"`
	Message word            `json:"message"`
	Result  json.RawMessage `json:"result"`
}

// errAnswer says that an answer is not as it should be.
var errAnswer = errors.New("answer is not of the protocol")

// coded is an answer that says no, in the protocol's words.
type coded struct{ code, message string }

func (c *coded) Error() string { return fmt.Sprintf("statusCode %s: %s", c.code, c.message) }

// parseHead returns the result of an answer that says yes; else a coded.
func parseHead(body []byte) (json.RawMessage, error) {
	var h head
	if err := json.Unmarshal(body, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if h.Code != codeOK {
		return nil, &coded{string(h.Code), string(h.Message)}
	}
	return h.Result, nil
}

// parseLogin returns the token and the identifier of the account.
func parseLogin(body []byte) (token, user string, err error) {
	result, err := parseHead(body)
	if err != nil {
		return "", "", err
	}
	var top struct {
		Token word `json:"token"`
	}
	if err := json.Unmarshal(body, &top); err != nil {
		return "", "", fmt.Errorf("%w: %w", errAnswer, err)
	}
	var in struct {
		Data struct {
			Login struct {
				Token word            `json:"token"`
				User  json.RawMessage `json:"user"`
			} `json:"login"`
		} `json:"data"`
	}
	if len(result) > 0 {
		if err := json.Unmarshal(result, &in); err != nil {
			return "", "", fmt.Errorf("%w: %w", errAnswer, err)
		}
	}
	if token = or(string(in.Data.Login.Token), string(top.Token)); len(token) > 8192 || !plain.MatchString(token) {
		return "", "", fmt.Errorf("%w: no token", errAnswer)
	}
	return token, userID(in.Data.Login.User), nil
}

// plain is what may stand in a header and in a path.
var plain = regexp.MustCompile(`^[\x21-\x7e]+$`)

// userID returns the identifier of a user, who is an object or the identifier itself.
func userID(raw json.RawMessage) string {
	var in struct {
		ID     word `json:"id"`
		UserID word `json:"userId"`
	}
	if len(raw) > 0 && raw[0] == '{' {
		if json.Unmarshal(raw, &in) != nil {
			return ""
		}
		return or(string(in.ID), string(in.UserID))
	}
	var w word
	if len(raw) == 0 || w.UnmarshalJSON(raw) != nil {
		return ""
	}
	return string(w)
}

// kindLine is one kind of document.
type kindLine struct{ code, name string }

// parseKinds returns the kinds of documents.
func parseKinds(body []byte) ([]kindLine, error) {
	result, err := parseHead(body)
	if err != nil {
		return nil, err
	}
	var in []struct {
		ID   word `json:"id"`
		Kode word `json:"kode"`
		Code word `json:"code"`
		Nama word `json:"nama"`
		Name word `json:"name"`
	}
	if err := unmarshalList(result, &in); err != nil {
		return nil, err
	}
	var all []kindLine
	for _, k := range in {
		code := or(or(string(k.Kode), string(k.Code)), string(k.ID))
		if code != "" {
			all = append(all, kindLine{code, or(string(k.Nama), string(k.Name))})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no kinds of documents", errAnswer)
	}
	return all, nil
}

// unmarshalList reads a list, bare or as data of an object.
func unmarshalList(result json.RawMessage, into any) error {
	if len(result) > 0 && result[0] == '{' {
		var in struct {
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(result, &in); err != nil {
			return fmt.Errorf("%w: %w", errAnswer, err)
		}
		result = in.Data
	}
	if len(result) == 0 || result[0] != '[' {
		return fmt.Errorf("%w: no list", errAnswer)
	}
	if err := json.Unmarshal(result, into); err != nil {
		return fmt.Errorf("%w: %w", errAnswer, err)
	}
	return nil
}

// taken is what stampv2 gave.
type taken struct {
	serial  string
	picture []byte // PNG or JPEG; nil: none came
	code    string // cloud form: the office's name of the picture
}

// serialForm is what a serial may look like: it becomes part of names and addresses. A real one is 22 digits and
// capitals.
var serialForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{7,39}$`)

// maxPicture bounds a serial's picture, in bytes.
const maxPicture = 1 << 20

// parseTaken returns the serial that stampv2 issued.
func parseTaken(body []byte) (taken, error) {
	result, err := parseHead(body)
	if err != nil {
		return taken{}, err
	}
	var in struct {
		Serial word `json:"sn"`
		Image  word `json:"image"`
		Code   word `json:"filenameQR"`
	}
	if err := json.Unmarshal(result, &in); err != nil {
		return taken{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	t := taken{serial: string(in.Serial), code: string(in.Code)}
	if !serialForm.MatchString(t.serial) {
		return taken{}, fmt.Errorf("%w: serial %.60q", errAnswer, t.serial)
	}
	t.picture = parsePicture(string(in.Image))
	if t.picture == nil { // seen as well: the picture itself under the name of its file
		if t.picture = parsePicture(t.code); t.picture != nil {
			t.code = ""
		}
	}
	return t, nil
}

// parsePicture returns the picture that a base64 text holds, or nil: a serial without one is worth its money still.
func parsePicture(s string) []byte {
	if i := strings.Index(s, ";base64,"); strings.HasPrefix(s, "data:") && i > 0 {
		s = s[i+len(";base64,"):]
	}
	if len(s) > base64.StdEncoding.EncodedLen(maxPicture) {
		return nil
	}
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil || len(b) == 0 || !strings.HasPrefix(string(b), "\x89PNG") && !strings.HasPrefix(string(b), "\xff\xd8") {
		return nil
	}
	return b
}

// parseUpload returns the identifier of an uploaded file.
func parseUpload(body []byte) (string, error) {
	if _, err := parseHead(body); err != nil {
		return "", err
	}
	var in struct {
		ID word `json:"id"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.ID == "" || len(in.ID) > 1000 {
		return "", fmt.Errorf("%w: no identifier of the upload", errAnswer)
	}
	return string(in.ID), nil
}

// parseSerials returns the lines of an account, or of one serial. Total is how many the office says there are; -1: it
// does not say.
func parseSerials(body []byte) (all []emeterai.Serial, total int, err error) {
	result, err := parseHead(body)
	if err != nil {
		return nil, 0, err
	}
	total = -1
	if len(result) > 0 && result[0] == '{' {
		var in struct {
			Total *word `json:"total"`
		}
		if err := json.Unmarshal(result, &in); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", errAnswer, err)
		}
		if in.Total != nil {
			if total, err = strconv.Atoi(string(*in.Total)); err != nil || total < 0 {
				return nil, 0, fmt.Errorf("%w: total %.20q", errAnswer, *in.Total)
			}
		}
	}
	var in []struct {
		Serial  word `json:"serialnumber"`
		Camel   word `json:"serialNumber"`
		SN      word `json:"sn"`
		Status  word `json:"status"`
		File    word `json:"file"`
		Namafil word `json:"namafile"`
		Updated word `json:"tglupdate"`
	}
	if err := unmarshalList(result, &in); err != nil {
		return nil, 0, err
	}
	for _, l := range in {
		s := emeterai.Serial{Serial: or(or(string(l.Serial), string(l.Camel)), string(l.SN)), File: or(string(l.File), string(l.Namafil))}
		switch strings.ToUpper(string(l.Status)) {
		case "STAMP":
			s.Status = emeterai.Affixed
		case "NOTSTAMP":
			s.Status = emeterai.Unused
		default:
			return nil, 0, fmt.Errorf("%w: status %.20q of a serial", errAnswer, l.Status)
		}
		s.At, _ = time.Parse(time.RFC3339, string(l.Updated)) // for people; the office has other spellings too
		all = append(all, s)
	}
	return all, total, nil
}

// parseSaldo returns what an account holds.
func parseSaldo(body []byte) (emeterai.Balance, error) {
	var in struct {
		head
		Result struct {
			Status   word `json:"status"`
			Message  word `json:"message"`
			Saldo    word `json:"saldo"`
			NotStamp word `json:"notstamp"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if in.Result.Status != codeOK {
		return emeterai.Balance{}, &coded{or(string(in.Result.Status), string(in.Code)), or(string(in.Result.Message), string(in.Message))}
	}
	left, err := strconv.Atoi(string(in.Result.Saldo))
	if err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: saldo %.20q", errAnswer, in.Result.Saldo)
	}
	unused, err := strconv.Atoi(or(string(in.Result.NotStamp), "0"))
	if err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: notstamp %.20q", errAnswer, in.Result.NotStamp)
	}
	return emeterai.Balance{Left: left, Unused: unused}, nil
}

// signed is what docSigningZ said.
type signed struct {
	ok            bool
	code, message string
	url           string
}

// parseSigned reads the answer of docSigningZ.
func parseSigned(body []byte) (signed, error) {
	var in struct {
		Status  word `json:"status"`
		Code    word `json:"errorCode"`
		Message word `json:"errorMessage"`
		URL     word `json:"urlFile"`
		Outer   word `json:"statusCode"`
		Text    word `json:"message"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return signed{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	s := signed{code: or(string(in.Code), string(in.Outer)), message: or(string(in.Message), string(in.Text)), url: string(in.URL)}
	s.ok = strings.EqualFold(string(in.Status), "true") && (s.code == codeOK || s.code == "")
	if !s.ok && s.code == "" {
		return signed{}, fmt.Errorf("%w: neither success nor a code", errAnswer)
	}
	return s, nil
}
