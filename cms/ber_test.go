package cms

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"errors"
	"testing"
)

// encodeBER converts DER to BER: every length indefinite or overlong, every octet string segmented. Elements in keep
// stay as they are: signed attributes and certificates.
func encodeBER(t testing.TB, der []byte, keep ...[]byte) []byte {
	t.Helper()
	var out []byte
	for len(der) > 0 {
		var v asn1.RawValue
		rest, err := asn1.Unmarshal(der, &v)
		if err != nil {
			t.Fatal(err)
		}
		der = rest
		isKept := false
		for _, k := range keep {
			isKept = isKept || bytes.Equal(v.FullBytes, k)
		}
		switch first := v.FullBytes[0]; {
		case isKept:
			out = append(out, v.FullBytes...)
		case v.IsCompound:
			out = append(append(append(out, first, 0x80), encodeBER(t, v.Bytes, keep...)...), 0, 0)
		case v.Class == asn1.ClassUniversal && v.Tag == asn1.TagOctetString && len(v.Bytes) > 1:
			half := len(v.Bytes) / 2
			out = append(out, 0x24, 0x80)
			for _, piece := range [][]byte{v.Bytes[:half], v.Bytes[half:]} {
				out = append(append(out, 0x04, 0x84, 0, 0, byte(len(piece)>>8), byte(len(piece))), piece...)
			}
			out = append(out, 0, 0)
		default:
			out = append(append(out, first, 0x82, byte(len(v.Bytes)>>8), byte(len(v.Bytes))), v.Bytes...)
		}
	}
	return out
}

func TestContainerInBERIsReadLikeItsDER(t *testing.T) {
	t.Parallel()
	der, _ := signContainer(t, "P-256", Options{})
	digest := computeHash(crypto.SHA256, content)
	sd, err := Parse(der)
	if err != nil {
		t.Fatal(err)
	}
	attributes := append([]byte{0xa0}, sd.Signers[0].SignedDER[1:]...)
	ber := append(encodeBER(t, der, attributes, sd.Certificates[0].Raw), make([]byte, 100)...)
	if _, err := Parse(ber); !errors.Is(err, ErrMalformed) {
		t.Errorf("read as it is: %v", err)
	}
	got, changed, err := ConvertToDER(ber)
	if err != nil || !changed || !bytes.Equal(bytes.TrimRight(got, "\x00"), bytes.TrimRight(der, "\x00")) {
		t.Fatalf("changed %t, %v\n%x\nwanted\n%x", changed, err, got, der)
	}
	again, err := Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Verify(again.Signers[0], digest); err != nil {
		t.Error(err)
	}
	if same, changed, err := ConvertToDER(der); err != nil || changed || &same[0] != &der[0] {
		t.Errorf("what is DER was changed: %t %v", changed, err)
	}
}

func TestAttributesAreVerifiedAsTheDERThatWasSigned(t *testing.T) {
	t.Parallel()
	der, cert := signContainer(t, "P-256", Options{})
	digest := computeHash(crypto.SHA256, content)
	sent, changed, err := ConvertToDER(encodeBER(t, der, cert.Raw))
	if err != nil || !changed {
		t.Fatalf("changed %t, %v", changed, err)
	}
	sd, err := Parse(sent)
	if err != nil {
		t.Fatal(err)
	}
	if err := sd.Verify(sd.Signers[0], digest); err != nil {
		t.Error(err)
	}
	if err := sd.Verify(sd.Signers[0], computeHash(crypto.SHA256, []byte("lain"))); err == nil {
		t.Error("of another content")
	}
}

func TestHostileEncodingIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"empty": nil, "no end": bytes.Repeat([]byte{0x30, 0x80}, 30), "too deep": bytes.Repeat([]byte{0x30, 0x80}, MaxSize/2),
		"many elements": append([]byte{0x30, 0x80}, bytes.Repeat([]byte{5, 0}, 2*maxBERElements)...),
		"long length":   {0x30, 0x88, 0x7f, 255, 255, 255, 255, 255, 255, 255}, "primitive without end": {0x04, 0x80, 0, 0},
		"pieces of another kind": {0x24, 0x80, 0x05, 0, 0, 0}, "longer than its parent": {0x30, 3, 0x04, 9, 1}, "long tag": {0x1f, 0x80},
	} {
		if _, _, err := ConvertToDER(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDER(f *testing.F) {
	der, _ := signContainer(f, "P-256", Options{})
	f.Add(der)
	f.Add(encodeBER(f, der))
	f.Add([]byte{0x24, 0x80, 0x04, 1, 7, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		der, changed, err := ConvertToDER(b)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Error(err)
			}
			return
		}
		if again, more, err := ConvertToDER(der); err != nil || more || !bytes.Equal(again, der) {
			t.Errorf("encoded anew it is not what it was: %v %t", err, more)
		}
		if !changed && !bytes.Equal(der, b) {
			t.Error("re-encoded, but not reported as changed")
		}
	})
}
