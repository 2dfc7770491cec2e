package authstatement

import (
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"segel/cms"
)

func TestStatementIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, s := range []Statement{
		{Factor: "password"}, {Factor: "totp", ForSignature: true}, {Factor: "api_key", Key: "ERP “gudang”"},
		{Factor: "api_key", Key: strings.Repeat("é", maxKey)},
	} {
		a, err := s.Attribute()
		if err != nil {
			t.Fatal(err)
		}
		found, err := Find([]cms.Attribute{{Type: cms.OIDContentType}, a})
		if err != nil || found == nil || *found != s {
			t.Errorf("%+v became %+v, %v", s, found, err)
		}
	}
	if found, err := Find(nil); found != nil || err != nil {
		t.Errorf("no attribute became %+v, %v", found, err)
	}
}

// The sample is never made anew: signatures that state it exist.
func TestSampleOfTheFormatIsStillRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/formats/authentication-1.hex")
	if err != nil {
		t.Fatal(err)
	}
	value, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := Statement{Factor: "api_key", ForSignature: false, Key: "ERP gudang"}
	if s, err := parseStatement(value); err != nil || *s != want {
		t.Errorf("read %+v, %v", s, err)
	}
	if a, err := want.Attribute(); err != nil || !reflect.DeepEqual(a.Values[0].FullBytes, value) {
		t.Errorf("written as %+v, %v", a.Values, err)
	}
}

func TestStatementInAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	for _, s := range []Statement{{}, {Key: "ERP"}, {Factor: strings.Repeat("x", maxFactor+1)}, {Factor: "api_key", Key: strings.Repeat("x", maxKey+1)}, {Factor: "\xff"}, {Factor: "password; stated by the service"}, {Factor: "totp", Key: "\xff"}} {
		if _, err := s.Attribute(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%+v is written: %v", s, err)
		}
	}
	good, err := Statement{Factor: "totp"}.Attribute()
	if err != nil {
		t.Fatal(err)
	}
	later, err := asn1.Marshal(encodedStatement{Version: 2, Factor: "totp"})
	if err != nil {
		t.Fatal(err)
	}
	for name, signed := range map[string][]cms.Attribute{
		"twice":              {good, good},
		"two values":         {{Type: OID, Values: append(good.Values, good.Values...)}},
		"no value":           {{Type: OID}},
		"a later version":    {cms.NewAttribute(OID, later)},
		"bytes at the end":   {cms.NewAttribute(OID, append(append([]byte{}, good.Values[0].FullBytes...), 0))},
		"an explicit FALSE":  {cms.NewAttribute(OID, []byte{0x30, 0x0c, 2, 1, 1, 0x0c, 4, 't', 'o', 't', 'p', 1, 1, 0})},
		"another kind of it": {cms.NewAttribute(OID, []byte{0x0c, 4, 't', 'o', 't', 'p'})},
	} {
		if s, err := Find(signed); s != nil || !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: read as %+v, %v", name, s, err)
		}
	}
}

func FuzzStatement(f *testing.F) {
	for _, s := range []Statement{{Factor: "password"}, {Factor: "totp", ForSignature: true}, {Factor: "api_key", Key: "ERP"}} {
		a, err := s.Attribute()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(a.Values[0].FullBytes)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		s, err := parseStatement(value)
		if err != nil {
			return
		}
		if a, err := s.Attribute(); err != nil || string(a.Values[0].FullBytes) != string(value) {
			t.Errorf("%x is read as %+v, which is written as %+v, %v", value, s, a.Values, err)
		}
	})
}
