package stamping

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/emeterai"
	"segel/internal/text"
)

// TestPeopleAreToldWhyInASentence checks that every problem has its own sentence in both languages. Transport problems
// never appear in it; the stamp office's text always does if the office refuses.
func TestPeopleAreToldWhyInASentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause error
		want  contract.ProblemCode
		says  string // must be in the sentence; empty: the text of the cause must not be in it
	}{
		{io.EOF, "stamp.office_unreachable", ""},
		{fmt.Errorf("read source: %w: 5e", blob.ErrNotFound), "stamp.file_missing", ""},
		{&emeterai.Problem{Class: emeterai.Transient, Code: emeterai.CodeDown, Text: "login: EOF"}, "stamp.office_unreachable", ""},
		{&emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeDown, Text: "docSigningZ: EOF"}, "stamp.office_unreachable", ""},
		{&emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeAnswer, Text: "answer of type html"}, "stamp.office_unreachable", ""},
		{&emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeReturn, Text: "has 7 bytes"}, "stamp.return_incomplete", ""},
		{&emeterai.Problem{Class: emeterai.Transient, Code: "94", Text: "antrean penuh"}, "stamp.office_busy", "antrean penuh"},
		{&emeterai.Problem{Class: emeterai.Unknown, Code: emeterai.CodeWait, Text: "an earlier purchase"}, "stamp.office_busy", ""},
		{&emeterai.Problem{Class: emeterai.Login, Code: emeterai.CodeLogin, Text: "user unknown"}, "stamp.office_account", ""},
		{&emeterai.Problem{Class: emeterai.Quota, Code: "93", Text: "no units left"}, "stamp.office_quota", ""},
		{&emeterai.Problem{Class: emeterai.Config, Code: "90", Text: "parameter salah"}, "stamp.office_config", "parameter salah"},
		{&emeterai.Problem{Class: emeterai.Refused, Code: "83", Text: "berkas terkunci"}, "stamp.office_refused", "berkas terkunci"},
		{&emeterai.Problem{Class: emeterai.Refused, Code: emeterai.CodeFile, Text: "xref at 17"}, "stamp.office_refused", ""},
		{&emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodePlace, Text: "page 9 of 2"}, "stamp.no_place", ""},
		{&emeterai.Problem{Class: emeterai.Permanent, Code: emeterai.CodeSource, Text: "another source"}, "stamp.office_refused", ""},
		{&emeterai.Problem{Class: emeterai.Quarantine, Code: emeterai.CodeReturn, Text: "object 9 0"}, "stamp.return_refused", ""},
		{&emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodeElsewhere, Text: "gave serial X"}, "stamp.serial_elsewhere", ""},
		{&emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodeSerialUncertain, Text: "2 serials"}, "stamp.serial_uncertain", ""},
		{&emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodePicture, Text: "no picture"}, "stamp.picture_lost", ""},
	} {
		got := describeFailure(c.cause)
		if got.Code != c.want {
			t.Errorf("%v: %q, want %s", c.cause, got, c.want)
		}
		id, en := text.Reason(text.Indonesian, got.String()), text.Reason(text.English, got.String())
		words := c.cause.Error()
		if p := (*emeterai.Problem)(nil); errors.As(c.cause, &p) {
			words = p.Text
		}
		for _, s := range []string{id, en} {
			if !strings.HasSuffix(s, ".") || strings.Contains(s, "stamp.") || strings.Contains(s, words) != (c.says != "") || !strings.Contains(s, c.says) {
				t.Errorf("the sentence for %v is %q", c.cause, s)
			}
		}
		if id == en {
			t.Errorf("%v: %q in both languages", c.cause, id)
		}
	}
}
