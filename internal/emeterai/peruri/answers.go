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

// scalar is a value that the office spells as a text, a number or a truth value, as it likes.
type scalar string

// UnmarshalJSON reads any of them; null and what is no single value is empty.
func (w *scalar) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case string:
		*w = scalar(v)
	case bool:
		*w = scalar(strconv.FormatBool(v))
	case float64:
		*w = scalar(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		*w = ""
	}
	return nil
}

// answerHead is what most answers begin with.
type answerHead struct {
	Code    scalar          `json:"statusCode"`
	Message scalar          `json:"message"`
	Result  json.RawMessage `json:"result"`
}

// errMalformedAnswer says that an answer is not as it should be.
var errMalformedAnswer = errors.New("answer is not of the protocol")

// codeError is an answer that says no, in the protocol's words.
type codeError struct{ code, message string }

func (c *codeError) Error() string { return fmt.Sprintf("statusCode %s: %s", c.code, c.message) }

// parseHead returns the result of an answer that says yes; else a coded.
func parseHead(body []byte) (json.RawMessage, error) {
	var h answerHead
	if err := json.Unmarshal(body, &h); err != nil {
		return nil, fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	if h.Code != codeOK {
		return nil, &codeError{string(h.Code), string(h.Message)}
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
		Token scalar `json:"token"`
	}
	if err := json.Unmarshal(body, &top); err != nil {
		return "", "", fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	var in struct {
		Data struct {
			Login struct {
				Token scalar          `json:"token"`
				User  json.RawMessage `json:"user"`
			} `json:"login"`
		} `json:"data"`
	}
	if len(result) > 0 {
		if err := json.Unmarshal(result, &in); err != nil {
			return "", "", fmt.Errorf("%w: %w", errMalformedAnswer, err)
		}
	}
	if token = orDefault(string(in.Data.Login.Token), string(top.Token)); len(token) > 8192 || !tokenForm.MatchString(token) {
		return "", "", fmt.Errorf("%w: no token", errMalformedAnswer)
	}
	return token, userID(in.Data.Login.User), nil
}

// tokenForm is what may stand in a header and in a path.
var tokenForm = regexp.MustCompile(`^[\x21-\x7e]+$`)

// userID returns the identifier of a user, who is an object or the identifier itself.
func userID(raw json.RawMessage) string {
	var in struct {
		ID     scalar `json:"id"`
		UserID scalar `json:"userId"`
	}
	if len(raw) > 0 && raw[0] == '{' {
		if json.Unmarshal(raw, &in) != nil {
			return ""
		}
		return orDefault(string(in.ID), string(in.UserID))
	}
	var w scalar
	if len(raw) == 0 || w.UnmarshalJSON(raw) != nil {
		return ""
	}
	return string(w)
}

// documentKind is one kind of document.
type documentKind struct{ code, name string }

// parseKinds returns the kinds of documents.
func parseKinds(body []byte) ([]documentKind, error) {
	result, err := parseHead(body)
	if err != nil {
		return nil, err
	}
	var in []struct {
		ID   scalar `json:"id"`
		Kode scalar `json:"kode"`
		Code scalar `json:"code"`
		Nama scalar `json:"nama"`
		Name scalar `json:"name"`
	}
	if err := unmarshalList(result, &in); err != nil {
		return nil, err
	}
	var all []documentKind
	for _, k := range in {
		code := orDefault(orDefault(string(k.Kode), string(k.Code)), string(k.ID))
		if code != "" {
			all = append(all, documentKind{code, orDefault(string(k.Nama), string(k.Name))})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no kinds of documents", errMalformedAnswer)
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
			return fmt.Errorf("%w: %w", errMalformedAnswer, err)
		}
		result = in.Data
	}
	if len(result) == 0 || result[0] != '[' {
		return fmt.Errorf("%w: no list", errMalformedAnswer)
	}
	if err := json.Unmarshal(result, into); err != nil {
		return fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	return nil
}

// boughtSerial is what stampv2 gave.
type boughtSerial struct {
	serial  string
	picture []byte // PNG or JPEG; nil: none came
	code    string // cloud form: the office's name of the picture
}

// serialForm is what a serial may look like: it becomes part of names and addresses. A real one is 22 digits and
// capitals.
var serialForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{7,39}$`)

// maxPicture bounds a serial's picture, in bytes.
const maxPicture = 1 << 20

// parseBoughtSerial returns the serial that stampv2 issued.
func parseBoughtSerial(body []byte) (boughtSerial, error) {
	result, err := parseHead(body)
	if err != nil {
		return boughtSerial{}, err
	}
	var in struct {
		Serial scalar `json:"sn"`
		Image  scalar `json:"image"`
		Code   scalar `json:"filenameQR"`
	}
	if err := json.Unmarshal(result, &in); err != nil {
		return boughtSerial{}, fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	t := boughtSerial{serial: string(in.Serial), code: string(in.Code)}
	if !serialForm.MatchString(t.serial) {
		return boughtSerial{}, fmt.Errorf("%w: serial %.60q", errMalformedAnswer, t.serial)
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
		ID scalar `json:"id"`
	}
	if err := json.Unmarshal(body, &in); err != nil || in.ID == "" || len(in.ID) > 1000 {
		return "", fmt.Errorf("%w: no identifier of the upload", errMalformedAnswer)
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
			Total *scalar `json:"total"`
		}
		if err := json.Unmarshal(result, &in); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", errMalformedAnswer, err)
		}
		if in.Total != nil {
			if total, err = strconv.Atoi(string(*in.Total)); err != nil || total < 0 {
				return nil, 0, fmt.Errorf("%w: total %.20q", errMalformedAnswer, *in.Total)
			}
		}
	}
	var in []struct {
		Serial  scalar `json:"serialnumber"`
		Camel   scalar `json:"serialNumber"`
		SN      scalar `json:"sn"`
		Status  scalar `json:"status"`
		File    scalar `json:"file"`
		Namafil scalar `json:"namafile"`
		Updated scalar `json:"tglupdate"`
	}
	if err := unmarshalList(result, &in); err != nil {
		return nil, 0, err
	}
	for _, l := range in {
		s := emeterai.Serial{Serial: orDefault(orDefault(string(l.Serial), string(l.Camel)), string(l.SN)), File: orDefault(string(l.File), string(l.Namafil))}
		switch strings.ToUpper(string(l.Status)) {
		case "STAMP":
			s.Status = emeterai.Affixed
		case "NOTSTAMP":
			s.Status = emeterai.Unused
		default:
			return nil, 0, fmt.Errorf("%w: status %.20q of a serial", errMalformedAnswer, l.Status)
		}
		s.At, _ = time.Parse(time.RFC3339, string(l.Updated)) // for people; the office has other spellings too
		all = append(all, s)
	}
	return all, total, nil
}

// parseSaldo returns what an account holds.
func parseSaldo(body []byte) (emeterai.Balance, error) {
	var in struct {
		answerHead
		Result struct {
			Status   scalar `json:"status"`
			Message  scalar `json:"message"`
			Saldo    scalar `json:"saldo"`
			NotStamp scalar `json:"notstamp"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	if in.Result.Status != codeOK {
		return emeterai.Balance{}, &codeError{orDefault(string(in.Result.Status), string(in.Code)), orDefault(string(in.Result.Message), string(in.Message))}
	}
	left, err := strconv.Atoi(string(in.Result.Saldo))
	if err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: saldo %.20q", errMalformedAnswer, in.Result.Saldo)
	}
	unused, err := strconv.Atoi(orDefault(string(in.Result.NotStamp), "0"))
	if err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: notstamp %.20q", errMalformedAnswer, in.Result.NotStamp)
	}
	return emeterai.Balance{Left: left, Unused: unused}, nil
}

// signResult is what docSigningZ said.
type signResult struct {
	ok            bool
	code, message string
	url           string
}

// parseSignResult reads the answer of docSigningZ.
func parseSignResult(body []byte) (signResult, error) {
	var in struct {
		Status  scalar `json:"status"`
		Code    scalar `json:"errorCode"`
		Message scalar `json:"errorMessage"`
		URL     scalar `json:"urlFile"`
		Outer   scalar `json:"statusCode"`
		Text    scalar `json:"message"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return signResult{}, fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	s := signResult{code: orDefault(string(in.Code), string(in.Outer)), message: orDefault(string(in.Message), string(in.Text)), url: string(in.URL)}
	s.ok = strings.EqualFold(string(in.Status), "true") && (s.code == codeOK || s.code == "")
	if !s.ok && s.code == "" {
		return signResult{}, fmt.Errorf("%w: neither success nor a code", errMalformedAnswer)
	}
	return s, nil
}
