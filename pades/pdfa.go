package pades

import (
	"fmt"
	"strings"

	"segel/pdf"
)

// readPDFARestrictions tells what an archive forbids in the pictures that are put into it. PDF/A-1 knows no transparency; the
// other parts need a space to blend in, which is that of the output intent. Device colours need one too: RGB one whose
// profile has three components, gray any.
func readPDFARestrictions(d *pdf.Document) (opaque, calibrated bool, err error) {
	part := d.Facts().PDFA
	if part == "" {
		return false, false, nil
	}
	components, err := countIntentComponents(d)
	if err != nil {
		return false, false, fmt.Errorf("output intent: %w", err)
	}
	return strings.HasPrefix(part, "1") || components == 0, components != 3, nil
}

// countIntentComponents returns the number of components that the profile of the archive's output intent has; 0 is none.
func countIntentComponents(d *pdf.Document) (int64, error) {
	_, catalog, err := d.Root()
	if err != nil {
		return 0, err
	}
	intents, err := d.Array(catalog["OutputIntents"])
	if err != nil {
		return 0, err
	}
	for _, o := range intents {
		intent, err := d.Dict(o)
		if err != nil {
			return 0, err
		}
		if kind, err := d.Name(intent["S"]); err != nil || kind != "GTS_PDFA1" {
			continue
		}
		profile, err := d.Stream(intent["DestOutputProfile"])
		if err != nil {
			return 0, err
		}
		if profile != nil {
			return d.Integer(profile.Dict["N"])
		}
	}
	return 0, nil
}
