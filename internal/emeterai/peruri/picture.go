package peruri

import (
	"context"
	"fmt"
	"net/http"

	"segel/internal/emeterai"
)

// CheckAffixable implements [emeterai.Stamper].
func (d *Driver) CheckAffixable(ctx context.Context, serial string) error {
	if !serialForm.MatchString(serial) {
		return unknownSerial(serial)
	}
	if d.o.Form == Cloud {
		return nil // the office has its picture
	}
	_, err := d.loadPicture(ctx, serial)
	return err
}

// loadPicture returns what came with a serial, or has it sent again where that is possible.
func (d *Driver) loadPicture(ctx context.Context, serial string) ([]byte, error) {
	kept := d.records.findRecord(serial)
	if kept.Picture != nil {
		return kept.Picture, nil
	}
	if d.o.Picture == "" {
		return nil, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodePicture,
			Text: fmt.Sprintf("the picture of serial %s was lost with the answer that brought it, and the adapter wants one; ask the office for it", serial)}
	}
	err := d.queryOffice(ctx, "qrimage", http.MethodGet, func(accessToken) string { return d.o.SerialURL + fillSerialPath(d.o.Picture, serial) }, answerLimit, func(b []byte) error {
		got, err := parseBoughtSerial(b)
		if err != nil {
			return err
		}
		if got.serial != serial || got.picture == nil {
			return fmt.Errorf("%w: no picture of serial %s", errMalformedAnswer, serial)
		}
		kept.Picture = got.picture
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.records.storeRecord(kept); err != nil {
		d.o.Log.ErrorContext(ctx, "picture of a serial cannot be kept", "serial", serial, "error", err)
	}
	return kept.Picture, nil
}
