package tsp

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/cms"
)

// statedAccuracy is the accuracy in the tokens: one second.
var statedAccuracy = accuracy{Seconds: 1}

func TestTokensAreEncodedAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for _, hash := range []crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512} {
		id, err := cms.HashIdentifier(hash)
		if err != nil {
			t.Fatal(err)
		}
		for _, nonce := range []*big.Int{nil, new(big.Int), big.NewInt(128), big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 128)} {
			imprint, serial := make([]byte, hash.Size()), new(big.Int).SetBytes(bytes.Repeat([]byte{0x7f}, 20))
			want, err := asn1.Marshal(tstInfo{
				Version: 1, Policy: policy, Imprint: messageImprint{id, imprint}, Serial: serial, GenTime: now, Accuracy: statedAccuracy, Nonce: nonce,
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := encodeInfo(Request{Hash: hash, Imprint: imprint, Nonce: nonce, CertReq: true}, policy, serial, now)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v with nonce %v is %x, not %x: %v", hash, nonce, got, want, err)
			}
		}
	}
}

// FuzzInfo compares parseInfo with encoding/asn1.
func FuzzInfo(f *testing.F) {
	id, err := cms.HashIdentifier(crypto.SHA256)
	if err != nil {
		f.Fatal(err)
	}
	extension := pkix.Extension{Id: policy, Critical: true, Value: []byte{5, 0}}
	name := asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: []byte{0xa4, 2, 0x30, 0}}
	for _, info := range []tstInfo{
		{Version: 1, Policy: policy, Imprint: messageImprint{id, digest[:]}, Serial: big.NewInt(1), GenTime: now},
		{Version: 1, Policy: policy, Imprint: messageImprint{id, digest[:]}, Serial: big.NewInt(-1), GenTime: now, Accuracy: accuracy{1, 2, 3}, Ordering: true, Nonce: big.NewInt(9), TSA: name, Extensions: []pkix.Extension{extension}},
		{Version: 1, Policy: policy, Imprint: messageImprint{id, nil}, Serial: big.NewInt(1), GenTime: now, Accuracy: accuracy{Micros: 300}, Extensions: []pkix.Extension{extension}},
	} {
		b, err := asn1.Marshal(info)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(compareInfo)
}

func TestAlteredTokensAreReadAsInTheStandardLibrary(t *testing.T) {
	t.Parallel()
	id, err := cms.HashIdentifier(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := asn1.Marshal(tstInfo{
		Version: 1, Policy: policy, Imprint: messageImprint{id, digest[:]}, Serial: big.NewInt(300), GenTime: now, Accuracy: accuracy{1, 2, 3}, Ordering: true, Nonce: big.NewInt(9),
		TSA: asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: []byte{0xa4, 2, 0x30, 0}}, Extensions: []pkix.Extension{{Id: policy, Value: []byte{5, 0}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for at, was := range whole {
		for altered := range 256 {
			whole[at] = byte(altered)
			compareInfo(t, whole)
		}
		whole[at] = was
		compareInfo(t, whole[:at])
	}
}

func compareInfo(t *testing.T, b []byte) {
	t.Helper()
	var want tstInfo
	rest, err := asn1.Unmarshal(b, &want)
	readable := err == nil && len(rest) == 0
	got, ok := parseInfo(b)
	if ok != readable || ok && !reflect.DeepEqual(got, want) {
		t.Fatalf("%x: %v %+v, not %v %+v", b, ok, got, err, want)
	}
}

// buildResponse builds a response with any token, signed by a proper authority.
func buildResponse(t *testing.T, r *Responder, change func(*tstInfo)) []byte {
	t.Helper()
	id, err := cms.HashIdentifier(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	info := tstInfo{Version: 1, Policy: r.Policy, Imprint: messageImprint{id, digest[:]}, Serial: big.NewInt(1), GenTime: now, Accuracy: statedAccuracy}
	change(&info)
	der, err := asn1.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	token, err := r.signToken(der, true)
	if err != nil {
		t.Fatal(err)
	}
	response, err := marshalResponse(token)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestTokenThatAnAuthoritySignedHasToMakeSense(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	request := Request{Hash: crypto.SHA256, Imprint: digest[:]}
	old, _ := cms.HashIdentifier(crypto.SHA1)
	for name, c := range map[string]struct {
		change  func(*tstInfo)
		at      time.Time
		wantErr string // empty: accepted
	}{
		"as made":                        {func(*tstInfo) {}, now, ""},
		"no accuracy":                    {func(i *tstInfo) { i.Accuracy = accuracy{} }, now, ""},
		"another version":                {func(i *tstInfo) { i.Version = 2 }, now, "TSTInfo"},
		"a short imprint":                {func(i *tstInfo) { i.Imprint.Digest = digest[:31] }, now, "another length"},
		"an imprint by SHA-1":            {func(i *tstInfo) { i.Imprint = messageImprint{old, make([]byte, sha1.Size)} }, now, "something else"},
		"half a second":                  {func(i *tstInfo) { i.Accuracy = accuracy{Millis: 500} }, now, ""},
		"a thousand milliseconds":        {func(i *tstInfo) { i.Accuracy = accuracy{Millis: 1000} }, now, "accuracy"},
		"a thousand microseconds":        {func(i *tstInfo) { i.Accuracy = accuracy{Micros: 1000} }, now, "accuracy"},
		"negative seconds":               {func(i *tstInfo) { i.Accuracy = accuracy{Seconds: -1} }, now, "accuracy"},
		"negative milliseconds":          {func(i *tstInfo) { i.Accuracy = accuracy{Millis: -1} }, now, "accuracy"},
		"negative microseconds":          {func(i *tstInfo) { i.Accuracy = accuracy{Micros: -1} }, now, "accuracy"},
		"seconds that overflow":          {func(i *tstInfo) { i.Accuracy = accuracy{Seconds: 1 << 62} }, now, "accuracy"},
		"accurate to an hour":            {func(i *tstInfo) { i.Accuracy = accuracy{Seconds: 3600} }, now, "accurate to"},
		"back-dated by accuracy":         {func(i *tstInfo) { i.GenTime, i.Accuracy = now.Add(-6*time.Minute), accuracy{Seconds: 299} }, now, "far from now"},
		"early":                          {func(*tstInfo) {}, now.Add(cms.ClockSkew + time.Second), "far from now"},
		"late":                           {func(*tstInfo) {}, now.Add(-cms.ClockSkew - time.Second), "far from now"},
		"after the certificate":          {func(i *tstInfo) { i.GenTime = r.Chain[0].NotAfter }, r.Chain[0].NotAfter.Add(time.Second), "not valid now"},
		"before the certificate":         {func(i *tstInfo) { i.GenTime = r.Chain[0].NotBefore }, r.Chain[0].NotBefore.Add(-time.Second), "not valid now"},
		"a nonce that was not requested": {func(i *tstInfo) { i.Nonce = big.NewInt(9) }, now, ""},
	} {
		_, token, err := request.accept(buildResponse(t, r, c.change), c.at)
		if (err == nil) != (c.wantErr == "") || err != nil && !strings.Contains(err.Error(), c.wantErr) {
			t.Errorf("%s: %v, want %q", name, err, c.wantErr)
		}
		if err != nil && token != nil {
			t.Errorf("%s: a token came with the error", name)
		}
	}
}

func TestContainerThatIsNoTimestampIsRefused(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	statement, err := r.Timestamp(context.Background(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := Parse(statement)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]cms.Options{
		"detached":              {ContentType: cms.OIDTSTInfo},
		"of another content":    {Content: parsed.sd.Content},
		"of content no TSTInfo": {ContentType: cms.OIDTSTInfo, Content: digest[:]},
	} {
		sum := sha256.Sum256(o.Content)
		der, err := cms.Sign(rand.Reader, sum[:], r.Key, r.Chain, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(der); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSigningCertificateMustBeBoundBySignedAttributes(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	token := rebuildToken(t, r, func(attrs []asn1.RawValue) []asn1.RawValue {
		name, err := asn1.Marshal(cms.OIDSigningCertificateV2)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(attrs, func(a asn1.RawValue) bool { return bytes.HasPrefix(a.Bytes, name) })
	}, 1)
	if _, err := Parse(token); err == nil || !strings.Contains(err.Error(), "not named") {
		t.Error(err)
	}
}

func TestTokenOfTwoSignersIsRefused(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	same := func(attrs []asn1.RawValue) []asn1.RawValue { return attrs }
	if _, err := Parse(rebuildToken(t, r, same, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(rebuildToken(t, r, same, 2)); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

// rebuildToken builds a token with changed attributes, signed by the key, and with that many copies of its signer info.
func rebuildToken(t *testing.T, r *Responder, change func([]asn1.RawValue) []asn1.RawValue, signers int) []byte {
	t.Helper()
	good, err := r.Timestamp(context.Background(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := Parse(good)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(parsed.sd.Content)
	s, err := cms.NewSignature(sum[:], r.Chain, cms.Options{ContentType: cms.OIDTSTInfo, Content: parsed.sd.Content})
	if err != nil {
		t.Fatal(err)
	}
	var attrs []asn1.RawValue
	if _, err := asn1.UnmarshalWithParams(s.Attributes, &attrs, "set"); err != nil {
		t.Fatal(err)
	}
	if s.Attributes, err = asn1.MarshalWithParams(change(attrs), "set"); err != nil {
		t.Fatal(err)
	}
	value, err := s.Sign(rand.Reader, r.Key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := s.Finish(value)
	if err != nil {
		t.Fatal(err)
	}
	var outer struct {
		Type asn1.ObjectIdentifier
		Data struct {
			Version      int
			Digests      asn1.RawValue
			Content      asn1.RawValue
			Certificates asn1.RawValue   `asn1:"optional,tag:0"`
			Signers      []asn1.RawValue `asn1:"set"`
		} `asn1:"explicit,tag:0"`
	}
	if _, err := asn1.Unmarshal(der, &outer); err != nil {
		t.Fatal(err)
	}
	outer.Data.Signers = slices.Repeat(outer.Data.Signers, signers)
	if der, err = asn1.Marshal(outer); err != nil {
		t.Fatal(err)
	}
	return der
}

func TestSerialsAreLongAndNeverTheSame(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	seen, bits := map[string]bool{}, 0
	for range 50 {
		der, err := r.Timestamp(context.Background(), digest[:])
		if err != nil {
			t.Fatal(err)
		}
		token, err := Parse(der)
		if err != nil {
			t.Fatal(err)
		}
		if seen[token.Serial.String()] || token.Serial.Sign() <= 0 {
			t.Errorf("serial %x", token.Serial)
		}
		seen[token.Serial.String()] = true
		bits = max(bits, token.Serial.BitLen())
	}
	if bits < 128 {
		t.Errorf("the longest serial has %d bits", bits)
	}
}

func TestNoSingleChangedByteOfTheTSTInfoIsAccepted(t *testing.T) {
	t.Parallel()
	token, err := newResponder(t, true, stamping).Timestamp(context.Background(), digest[:])
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := Parse(token)
	if err != nil {
		t.Fatal(err)
	}
	content := parsed.sd.Content
	at := strings.Index(string(token), string(content))
	for i := range content {
		b := []byte(string(token))
		b[at+i] ^= 1
		if _, err := Parse(b); err == nil {
			t.Errorf("byte %d of %d changed", i, len(content))
		}
	}
}

func TestRefusalHasAReasonInBoundedText(t *testing.T) {
	t.Parallel()
	for _, failure := range []int{badAlgorithm, badRequest, TimeNotAvailable, systemFailure} {
		der, err := (&Refusal{Status: 2, Failure: failure, Text: strings.Repeat("\x00é", 5000)}).marshalRefusal()
		if err != nil {
			t.Fatal(err)
		}
		var no *Refusal
		_, _, err = (Request{}).accept(der, now)
		if !errors.As(err, &no) || no.Status != 2 || no.Failure != failure || len(no.Text) > maxText+1 || strings.ContainsRune(err.Error(), 0) {
			t.Errorf("failure %d: %+v", failure, no)
		}
	}
}

func TestStatusOfAResponseDecidesWhateverTokenItCarries(t *testing.T) {
	t.Parallel()
	request := Request{Hash: crypto.SHA256, Imprint: digest[:]}
	good := buildResponse(t, newResponder(t, true, stamping), func(*tstInfo) {})
	var v timeStampResp
	if _, err := asn1.Unmarshal(good, &v); err != nil {
		t.Fatal(err)
	}
	for status, granted := range []bool{true, true, false, false, false, false} {
		v.Status.Status = status
		der, err := asn1.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := request.accept(der, now); (err == nil) != granted {
			t.Errorf("status %d: %v", status, err)
		}
	}
	for name, der := range map[string][]byte{"nothing": nil, "bytes behind": append(good, 0), "granted without a token": {0x30, 5, 0x30, 3, 2, 1, 0}} {
		if _, _, err := request.accept(der, now); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestQueryThatAuthorityCannotServeNamesTheFailure(t *testing.T) {
	t.Parallel()
	id, _ := cms.HashIdentifier(crypto.SHA256)
	old, _ := cms.HashIdentifier(crypto.SHA1)
	good := timeStampReq{Version: 1, Imprint: messageImprint{id, digest[:]}}
	r := newResponder(t, true, stamping)
	bare := newResponder(t, true, stamping)
	bare.Chain = nil
	early, late := newResponder(t, true, stamping), newResponder(t, true, stamping)
	early.Clock = func() time.Time { return early.Chain[0].NotBefore.Add(-time.Second) }
	late.Clock = func() time.Time { return late.Chain[0].NotAfter.Add(time.Second) }
	stopped := newResponder(t, true, stamping)
	stopped.Random = strings.NewReader("")
	for name, c := range map[string]struct {
		by      *Responder
		change  func(*timeStampReq)
		failure int
	}{
		"SHA-1":             {r, func(q *timeStampReq) { q.Imprint = messageImprint{old, make([]byte, sha1.Size)} }, badAlgorithm},
		"a short imprint":   {r, func(q *timeStampReq) { q.Imprint.Digest = digest[:31] }, badDataFormat},
		"version 2":         {r, func(q *timeStampReq) { q.Version = 2 }, badRequest},
		"a long nonce":      {r, func(q *timeStampReq) { q.Nonce = new(big.Int).Lsh(big.NewInt(1), 8*maxRequest) }, badRequest},
		"an extension":      {r, func(q *timeStampReq) { q.Extensions = []pkix.Extension{{Id: policy, Value: []byte{5, 0}}} }, unacceptedExtension},
		"a clock too early": {early, func(*timeStampReq) {}, TimeNotAvailable},
		"a clock too late":  {late, func(*timeStampReq) {}, TimeNotAvailable},
		"no certificate":    {bare, func(*timeStampReq) {}, systemFailure},
		"no randomness":     {stopped, func(*timeStampReq) {}, systemFailure},
	} {
		q := good
		c.change(&q)
		der, err := asn1.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.by.Respond(der)
		if err != nil {
			t.Fatal(err)
		}
		var no *Refusal
		if _, _, err := (Request{}).accept(response, now); !errors.As(err, &no) || no.Failure != c.failure {
			t.Errorf("%s: %v, want failure %d", name, err, c.failure)
		}
	}
}

func TestClientTakesATokenFromAProperAnswerOnly(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	for name, c := range map[string]struct {
		serve   http.HandlerFunc
		wantErr string // empty: a token
	}{
		"an authority":   {r.ServeHTTP, ""},
		"out of order":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, "503"},
		"a login page":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "type \"text/html"},
		"no type":        {func(w http.ResponseWriter, _ *http.Request) { w.Header()["Content-Type"] = nil }, "type"},
		"no token":       {func(w http.ResponseWriter, _ *http.Request) { writeReply(w, []byte("<html>")) }, "malformed"},
		"without an end": {func(w http.ResponseWriter, _ *http.Request) { writeReply(w, make([]byte, maxResponse+1)) }, "too long"},
		"an old answer":  {func(w http.ResponseWriter, _ *http.Request) { writeReply(w, buildResponse(t, r, func(*tstInfo) {})) }, "nonce"},
	} {
		server := httptest.NewServer(c.serve)
		client := &Client{URL: server.URL, HTTP: server.Client(), Clock: func() time.Time { return now }}
		token, err := client.Timestamp(context.Background(), digest[:])
		server.Close()
		if (err == nil) != (c.wantErr == "") || err != nil && (token != nil || !strings.Contains(err.Error(), c.wantErr)) {
			t.Errorf("%s: %v, want %q", name, err, c.wantErr)
		}
	}
}

func writeReply(w http.ResponseWriter, b []byte) {
	w.Header().Set("Content-Type", replyType)
	_, _ = w.Write(b)
}

func TestHandlerTakesBoundedPostsOnly(t *testing.T) {
	t.Parallel()
	r := newResponder(t, true, stamping)
	for _, c := range []struct {
		method string
		body   int
		status int
	}{{http.MethodGet, 0, http.StatusMethodNotAllowed}, {http.MethodPost, maxRequest + 1, http.StatusRequestEntityTooLarge}, {http.MethodPost, 3, http.StatusOK}} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(c.method, "/", strings.NewReader(strings.Repeat("x", c.body))))
		if w.Code != c.status {
			t.Errorf("%s of %d bytes: %d, want %d", c.method, c.body, w.Code, c.status)
		}
	}
}
