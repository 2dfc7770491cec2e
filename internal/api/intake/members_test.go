package intake

import (
	"fmt"
	"strings"
	"testing"
)

func TestMemberGivenTwiceIsRefusedByItsPath(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		`{"a":1,"a":2}`:                                      "a",
		`{"a":1,"A":2}`:                                      "A",
		`{"a":1,"\u0061":2}`:                                 "a",
		`{"K":1,"\u212a":2}`:                                 "\u212a", // the Kelvin sign, which encoding/json takes for a K
		`{"a":{"b":{"c":1,"d":2,"c":3}}}`:                    "a.b.c",
		`{"signer":[{"id":1},{"id":1,"id":2}]}`:              "signer[1].id",
		`{"a":[[{},[{"b":1,"b":2}]]]}`:                       "a[0][1][0].b",
		`{"":1,"":2}`:                                        `""`,
		`{"` + strings.Repeat("x", 300) + `":{"a":1,"a":2}}`: strings.Repeat("x", 100) + "….a",
	} {
		e := refusal(t, CheckMembers([]byte(text)))
		if e.Kind != Duplicate || e.Member != path {
			t.Errorf("%s: kind %d, member %q, want %q", text, e.Kind, e.Member, path)
		}
	}
	for _, text := range []string{
		`{}`, `[]`, `"a"`, `1`, `{"a":{"a":{"a":1}}}`, `[{"a":1},{"a":2}]`, `{"a":"{\"a\":1,\"a\":2}","b":"\\"}`,
		`{"a":["b","b"],"b":"a","c":"a"}`, `{"ab":1,"a":{"b":2}}`,
	} {
		if err := CheckMembers([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestMembersOfOneObjectAreBounded(t *testing.T) {
	t.Parallel()
	object := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%d":0`, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	if err := CheckMembers([]byte("[" + object(maxMembers) + "," + object(maxMembers) + "]")); err != nil {
		t.Errorf("as many as allowed: %v", err)
	}
	e := refusal(t, CheckMembers([]byte(`{"a":[`+object(maxMembers+1)+`]}`)))
	if e.Kind != TooManyMembers || e.Limit != maxMembers || e.Member != "a[0].1000" {
		t.Errorf("one more: kind %d, limit %d, member %q", e.Kind, e.Limit, e.Member)
	}
}

func TestTextThatIsNoJSONIsRefusedWithoutALook(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "}", "]", ",", `"`, `{"a`, `{"a":1,"a":2`, `"\`, `{]`, "[}"} {
		if e := refusal(t, CheckMembers([]byte(text))); e.Kind != Malformed {
			t.Errorf("%q: kind %d", text, e.Kind)
		}
	}
}
