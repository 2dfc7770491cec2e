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

// loadPicture returns the stored picture of a serial, or fetches it again if possible.
func (d *Driver) loadPicture(ctx context.Context, serial string) ([]byte, error) {
	rec := d.records.findRecord(serial)
	if rec.Picture != nil {
		return rec.Picture, nil
	}
	if d.o.Picture == "" {
		return nil, &emeterai.Problem{Class: emeterai.NeedsPerson, Code: emeterai.CodePicture,
			Text: fmt.Sprintf("the picture of serial %s was lost with the answer that contained it, and the adapter needs it; ask the office for it", serial)}
	}
	err := d.queryOffice(ctx, "qrimage", http.MethodGet, func(accessToken) string { return d.o.SerialURL + fillSerialPath(d.o.Picture, serial) }, answerLimit, func(b []byte) error {
		got, err := parseBoughtSerial(b)
		if err != nil {
			return err
		}
		if got.serial != serial || got.picture == nil {
			return fmt.Errorf("%w: no picture of serial %s", errMalformedAnswer, serial)
		}
		rec.Picture = got.picture
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.records.storeRecord(rec); err != nil {
		d.o.Log.ErrorContext(ctx, "picture of a serial could not be stored", "serial", serial, "error", err)
	}
	return rec.Picture, nil
}
