package sandbox

import (
	"errors"
	"fmt"
	"testing"

	"segel/pades"
)

func TestFileThatForbidsTheStampIsRefusedForGood(t *testing.T) {
	t.Parallel()
	for _, err := range []error{pades.ErrCertified, pades.ErrFieldLocked, pades.ErrEncrypted, pades.ErrFieldExists} {
		if !isPermanent(fmt.Errorf("sign: %w", err)) {
			t.Errorf("%v is tried again and again", err)
		}
	}
	if isPermanent(fmt.Errorf("sign: %w", pades.ErrTimestamp)) || isPermanent(errors.New("disk full")) {
		t.Error("what passes by itself is refused for good")
	}
}
