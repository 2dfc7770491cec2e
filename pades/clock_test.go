package pades_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"testing"
	"time"

	"segel/cms"
	"segel/internal/authority"
	"segel/pades"
	"segel/pdf/pdftest"
	"segel/tsp"
)

// issuer issues certificates with any validity; nil is self-signed.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func (i *issuer) issue(t testing.TB, name string, from, to time.Time, change ...func(*x509.Certificate)) *issuer {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: must[*big.Int](t)(rand.Int(rand.Reader, big.NewInt(1<<62))), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	for _, c := range change {
		c(template)
	}
	parent, signer := template, key
	if i != nil {
		parent, signer = i.cert, i.key
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))
	return &issuer{must[*x509.Certificate](t)(x509.ParseCertificate(der)), key}
}

// resigningTimestamper signs the token of another authority again with its own key.
type resigningTimestamper struct {
	tsp.Timestamper
	by *issuer
}

func (r resigningTimestamper) Timestamp(ctx context.Context, digest []byte) ([]byte, error) {
	token, err := r.Timestamper.Timestamp(ctx, digest)
	if err != nil {
		return nil, err
	}
	sd, err := cms.Parse(token)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(sd.Content)
	return cms.Sign(rand.Reader, sum[:], r.by.key, []*x509.Certificate{r.by.cert}, cms.Options{ContentType: cms.OIDTSTInfo, Content: sd.Content})
}

// TestTimesOfASignatureHaveToFitTogether signs with every wrong combination of clock and certificates.
func TestTimesOfASignatureHaveToFitTogether(t *testing.T) {
	t.Parallel()
	now := time.Now()
	year := func(n int) time.Time { return now.AddDate(n, 0, 0) }
	at := func(by time.Time) tsp.Timestamper {
		a := must[*authority.Authority](t)(authority.NewEphemeral("http://localhost", func() time.Time { return by }))
		return a.Timestamper()
	}
	root := (*issuer)(nil).issue(t, "Root", year(-5), year(5))
	middle := root.issue(t, "Middle", year(-4), year(4))
	good := middle.issue(t, "Budi", year(-1), year(1))
	ahead := middle.issue(t, "Begins in six hours", now.Add(6*time.Hour), year(1))
	ended := middle.issue(t, "Ended", year(-2), year(-1))
	endedMiddle := root.issue(t, "Ended middle", year(-4), now.Add(-time.Hour))
	under := endedMiddle.issue(t, "Under an issuer that ended", year(-1), year(1))
	endedRoot := (*issuer)(nil).issue(t, "Ended root", year(-5), now.Add(-time.Hour))
	below := endedRoot.issue(t, "Under a root that ended", year(-1), year(1))
	purpose := must[[]byte](t)(asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}}))
	oldTSA := root.issue(t, "TSA that ended", year(-2), year(-1), func(c *x509.Certificate) {
		c.IsCA, c.KeyUsage = false, x509.KeyUsageDigitalSignature
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: purpose}}
	})
	local := pades.Clock{Now: func() time.Time { return now }, Tolerance: 2 * time.Minute}
	for name, c := range map[string]struct {
		chain []*issuer
		time  tsp.Timestamper // nil: none
		clock pades.Clock
		wrong string // the certificate that is not valid; "clock": the two clocks differ; empty: none
	}{
		"as it should be":                        {[]*issuer{good, middle, root}, at(now), local, ""},
		"without a timestamp":                    {[]*issuer{good, middle, root}, nil, local, ""},
		"without a clock":                        {[]*issuer{good, middle, root}, at(now), pades.Clock{}, ""},
		"a certificate that begins later":        {[]*issuer{ahead, middle, root}, at(now), local, "Begins in six hours"},
		"the same without a clock":               {[]*issuer{ahead, middle, root}, at(now), pades.Clock{}, "Begins in six hours"},
		"the same without a timestamp":           {[]*issuer{ahead, middle, root}, nil, local, "Begins in six hours"},
		"the same by an authority that is ahead": {[]*issuer{ahead, middle, root}, at(now.Add(7 * time.Hour)), local, "clock"},
		"both clocks ahead":                      {[]*issuer{ahead, middle, root}, at(now.Add(7 * time.Hour)), pades.Clock{Now: func() time.Time { return now.Add(7 * time.Hour) }}, ""},
		"a certificate that ended":               {[]*issuer{ended, middle, root}, at(now), local, "Ended"},
		"the same without a timestamp, ended":    {[]*issuer{ended, middle, root}, nil, local, "Ended"},
		"an issuer that ended":                   {[]*issuer{under, endedMiddle, root}, at(now), local, "Ended middle"},
		"an issuer that ended, no timestamp":     {[]*issuer{under, endedMiddle, root}, nil, local, "Ended middle"},
		"an issuer that ended since":             {[]*issuer{under, endedMiddle, root}, at(now.Add(-2 * time.Hour)), pades.Clock{Now: local.Now, Tolerance: 3 * time.Hour}, "Ended middle"},
		"a root that ended":                      {[]*issuer{below, endedRoot}, at(now), local, "Ended root"},
		"the authority's clock ahead":            {[]*issuer{good, middle, root}, at(now.Add(3 * time.Minute)), local, "clock"},
		"the authority's clock behind":           {[]*issuer{good, middle, root}, at(now.Add(-3 * time.Minute)), local, "clock"},
		"the same within the usual tolerance":    {[]*issuer{good, middle, root}, at(now.Add(-3 * time.Minute)), pades.Clock{Now: local.Now}, ""},
		"an authority whose certificate ended":   {[]*issuer{good, middle, root}, resigningTimestamper{at(now), oldTSA}, local, "TSA that ended"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: pdftest.Table(1)}
			o := pades.Options{NewField: &pades.FieldSpec{Name: "A"}, Key: c.chain[0].key, Time: now, Timestamper: c.time, Clock: c.clock}
			for _, i := range c.chain {
				o.Chain = append(o.Chain, i.cert)
			}
			r, err := pades.Sign(t.Context(), p.Source(), o)
			wantTimeError(t, err, c.wrong)
			if (r == nil) != (c.wrong != "") {
				t.Errorf("result %v", r != nil)
			}
		})
	}
	for name, c := range map[string]struct {
		time  tsp.Timestamper
		clock pades.Clock
		wrong string
	}{
		"as it should be":                      {at(now), local, ""},
		"the authority's clock ahead":          {at(now.Add(6 * time.Hour)), local, "clock"},
		"the authority's clock behind":         {at(now.Add(-6 * time.Hour)), local, "clock"},
		"the same without a clock":             {at(now.Add(-6 * time.Hour)), pades.Clock{}, ""},
		"an authority whose certificate ended": {resigningTimestamper{at(now), oldTSA}, pades.Clock{}, "TSA that ended"},
	} {
		t.Run("document timestamp, "+name, func(t *testing.T) {
			t.Parallel()
			p := &testFile{Bytes: pdftest.Table(1)}
			_, err := pades.DocumentTimestamp(t.Context(), p.Source(), c.time, c.clock)
			wantTimeError(t, err, c.wrong)
		})
	}
}

// wantTimeError checks for the error of one certificate, or of the clocks.
func wantTimeError(t *testing.T, err error, wrong string) {
	t.Helper()
	var invalid *pades.ValidityError
	var clock *tsp.ClockError
	switch {
	case wrong == "":
		if err != nil {
			t.Error(err)
		}
	case !errors.Is(err, pades.ErrCheck):
		t.Errorf("%v is no ErrCheck", err)
	case wrong == "clock":
		if !errors.As(err, &clock) || clock.Local.IsZero() || clock.Time.IsZero() {
			t.Errorf("%v is no ClockError", err)
		}
	case !errors.As(err, &invalid) || invalid.Certificate.Subject.CommonName != wrong || invalid.At.IsZero():
		t.Errorf("%v does not name %q", err, wrong)
	}
}
