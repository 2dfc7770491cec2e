package pades

import (
	"fmt"
	"strings"

	"segel/pdf"
)

// readPDFARestrictions returns what PDF/A forbids in appearances. PDF/A-1 forbids transparency; the other parts need a
// blending colour space, which the output intent provides. Device colours need an output intent too: RGB one with three
// components, gray any.
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

// countIntentComponents returns the number of components of the output intent's profile; 0 if there is no profile.
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
