package peruri

import (
	"context"
	"fmt"
	"net/http"

	"segel/internal/emeterai"
)

// Ready implements [emeterai.Stamper].
func (d *Driver) Ready(ctx context.Context, serial string) error {
	if !serialForm.MatchString(serial) {
		return unknownSerial(serial)
	}
	if d.o.Form == Cloud {
		return nil // the office has its picture
	}
	_, err := d.picture(ctx, serial)
	return err
}

// picture returns what came with a serial, or has it sent again where that is possible.
func (d *Driver) picture(ctx context.Context, serial string) ([]byte, error) {
	kept := d.keep.get(serial)
	if kept.Picture != nil {
		return kept.Picture, nil
	}
	if d.o.Picture == "" {
		return nil, &emeterai.Problem{Class: emeterai.Person, Code: emeterai.CodePicture,
			Text: fmt.Sprintf("the picture of serial %s was lost with the answer that brought it, and the adapter wants one; ask the office for it", serial)}
	}
	err := d.ask(ctx, "qrimage", http.MethodGet, func(login) string { return d.o.SerialURL + fillSerial(d.o.Picture, serial) }, answerLimit, func(b []byte) error {
		got, err := parseTaken(b)
		if err != nil {
			return err
		}
		if got.serial != serial || got.picture == nil {
			return fmt.Errorf("%w: no picture of serial %s", errAnswer, serial)
		}
		kept.Picture = got.picture
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.keep.put(kept); err != nil {
		d.o.Log.ErrorContext(ctx, "picture of a serial cannot be kept", "serial", serial, "error", err)
	}
	return kept.Picture, nil
}
