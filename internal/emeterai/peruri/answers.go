package peruri

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"segel/internal/emeterai"
	"sync"
)

// Codes of the office's protocol.
const (
	codeOK    = "00"
	codeToken = "01"
	codeQuota = "93"
)

// scalar is a value that the office sends as a string, a number or a boolean.
type scalar string

// UnmarshalJSON accepts any of them; null, lists and objects are empty.
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

// answerHead holds the members that most answers have.
type answerHead struct {
	Code    scalar          `json:"statusCode"`
	Message scalar          `json:"message"`
	Result  json.RawMessage `json:"result"`
}

// errMalformedAnswer means that an answer is not of the protocol.
var errMalformedAnswer = errors.New("answer is not of the protocol")

// codeError is a refusal in the codes of the protocol.
type codeError struct{ code, message string }

func (c *codeError) Error() string { return fmt.Sprintf("statusCode %s: %s", c.code, c.message) }

// unmarshalAnswer decodes a part of an answer.
func unmarshalAnswer(b []byte, into any) error {
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%w: %w", errMalformedAnswer, err)
	}
	return nil
}

// parseHead returns the result of a successful answer; else a codeError.
func parseHead(body []byte) (json.RawMessage, error) {
	var h answerHead
	if err := unmarshalAnswer(body, &h); err != nil {
		return nil, err
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
	if err := unmarshalAnswer(body, &top); err != nil {
		return "", "", err
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
		if err := unmarshalAnswer(result, &in); err != nil {
			return "", "", err
		}
	}
	if token = cmp.Or(string(in.Data.Login.Token), string(top.Token)); len(token) > 8192 || !tokenForm.MatchString(token) {
		return "", "", fmt.Errorf("%w: no token", errMalformedAnswer)
	}
	return token, userID(in.Data.Login.User), nil
}

// tokenForm is the form of a value that may be in a header and in a path.
var tokenForm = regexp.MustCompile(`^[\x21-\x7e]+$`)

// userID returns the identifier of a user, which is an object or the identifier itself.
func userID(raw json.RawMessage) string {
	var in struct {
		ID     scalar `json:"id"`
		UserID scalar `json:"userId"`
	}
	if len(raw) > 0 && raw[0] == '{' {
		if json.Unmarshal(raw, &in) != nil {
			return ""
		}
		return cmp.Or(string(in.ID), string(in.UserID))
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
		code := cmp.Or(string(k.Kode), string(k.Code), string(k.ID))
		if code != "" {
			all = append(all, documentKind{code, cmp.Or(string(k.Nama), string(k.Name))})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no kinds of documents", errMalformedAnswer)
	}
	return all, nil
}

// unmarshalList decodes a list, either bare or as member data of an object.
func unmarshalList(result json.RawMessage, into any) error {
	if len(result) > 0 && result[0] == '{' {
		var in struct {
			Data json.RawMessage `json:"data"`
		}
		if err := unmarshalAnswer(result, &in); err != nil {
			return err
		}
		result = in.Data
	}
	if len(result) == 0 || result[0] != '[' {
		return fmt.Errorf("%w: no list", errMalformedAnswer)
	}
	return unmarshalAnswer(result, into)
}

// boughtSerial is the result of stampv2.
type boughtSerial struct {
	serial  string
	picture []byte // PNG or JPEG; nil: none came
	code    string // cloud form: the office's name of the picture
}

// serialForm is the form of a serial, which becomes part of file names and URLs. A real one is 22 digits and capital
// letters.
var serialForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{7,39}$`) })

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
	if err := unmarshalAnswer(result, &in); err != nil {
		return boughtSerial{}, err
	}
	t := boughtSerial{serial: string(in.Serial), code: string(in.Code)}
	if !serialForm().MatchString(t.serial) {
		return boughtSerial{}, fmt.Errorf("%w: serial %.60q", errMalformedAnswer, t.serial)
	}
	t.picture = parsePicture(string(in.Image))
	if t.picture == nil { // some answers have the picture in the member for its file name
		if t.picture = parsePicture(t.code); t.picture != nil {
			t.code = ""
		}
	}
	return t, nil
}

// parsePicture returns the picture of a Base64 text, or nil: a serial without a picture is still worth its money.
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

// parseSerials returns the entries of an account, or of one serial. Total is how many the office says there are; -1:
// it does not say.
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
		if err := unmarshalAnswer(result, &in); err != nil {
			return nil, 0, err
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
		s := emeterai.Serial{Serial: cmp.Or(string(l.Serial), string(l.Camel), string(l.SN)), File: cmp.Or(string(l.File), string(l.Namafil))}
		switch strings.ToUpper(string(l.Status)) {
		case "STAMP":
			s.Status = emeterai.Affixed
		case "NOTSTAMP":
			s.Status = emeterai.Unused
		default:
			return nil, 0, fmt.Errorf("%w: status %.20q of a serial", errMalformedAnswer, l.Status)
		}
		s.At, _ = time.Parse(time.RFC3339, string(l.Updated)) // for display only; the office uses other formats too
		all = append(all, s)
	}
	return all, total, nil
}

// parseSaldo returns the balance of an account.
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
	if err := unmarshalAnswer(body, &in); err != nil {
		return emeterai.Balance{}, err
	}
	if in.Result.Status != codeOK {
		return emeterai.Balance{}, &codeError{cmp.Or(string(in.Result.Status), string(in.Code)), cmp.Or(string(in.Result.Message), string(in.Message))}
	}
	left, err := strconv.Atoi(string(in.Result.Saldo))
	if err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: saldo %.20q", errMalformedAnswer, in.Result.Saldo)
	}
	unused, err := strconv.Atoi(cmp.Or(string(in.Result.NotStamp), "0"))
	if err != nil {
		return emeterai.Balance{}, fmt.Errorf("%w: notstamp %.20q", errMalformedAnswer, in.Result.NotStamp)
	}
	return emeterai.Balance{Left: left, Unused: unused}, nil
}

// signResult is the answer of docSigningZ.
type signResult struct {
	ok            bool
	code, message string
	url           string
}

// parseSignResult parses the answer of docSigningZ.
func parseSignResult(body []byte) (signResult, error) {
	var in struct {
		Status  scalar `json:"status"`
		Code    scalar `json:"errorCode"`
		Message scalar `json:"errorMessage"`
		URL     scalar `json:"urlFile"`
		Outer   scalar `json:"statusCode"`
		Text    scalar `json:"message"`
	}
	if err := unmarshalAnswer(body, &in); err != nil {
		return signResult{}, err
	}
	s := signResult{code: cmp.Or(string(in.Code), string(in.Outer)), message: cmp.Or(string(in.Message), string(in.Text)), url: string(in.URL)}
	s.ok = strings.EqualFold(string(in.Status), "true") && (s.code == codeOK || s.code == "")
	if !s.ok && s.code == "" {
		return signResult{}, fmt.Errorf("%w: neither success nor a code", errMalformedAnswer)
	}
	return s, nil
}
