package facts

import "segel/pdf"

// hidden looks for content that was hidden before anybody signed.
func (r *reader) hidden() error { return nil }

// covers tells whether something is drawn within a box of a page.
func (r *reader) covers(*pdf.Document, int, pdf.Rect) bool { return false }
