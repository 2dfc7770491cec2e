package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ShownPages is what a service showed a signer of a document before they asked to sign. The zero value says that nothing is
// known of it, as of clients that sign without showing anything.
type ShownPages struct {
	Digest [32]byte // SHA-256 of the revision that was shown; zero: the client does not say
	Pages  []int    // numbers of the pages that were shown, from 1, in any order; empty: the client does not say, or none was
}

// PagesNone is the detail of a signature event in place of the pages where the service showed none.
const PagesNone = "none"

// isKnown reports whether it is said which pages of which revision were shown.
func (s ShownPages) isKnown() bool { return s.Digest != [32]byte{} && len(s.Pages) > 0 }

// checkPages refuses pages that the document does not have.
func (s ShownPages) checkPages(d *Document) error {
	for i, page := range s.Pages {
		if page < 1 || page > d.Pages {
			return InvalidInput(NewFieldError(fmt.Sprintf("pages_shown[%d]", i), "placement.no_such_page", "page", page, "pages", d.Pages))
		}
	}
	return nil
}

// eventDetails are what the log says of it: the pages as ranges, and how many the document has.
func (s ShownPages) eventDetails(d *Document) []string {
	if !s.isKnown() {
		return []string{"pages_shown", PagesNone}
	}
	return []string{"pages_shown", PageRanges(s.Pages), "pages", strconv.Itoa(d.Pages)}
}

// PageRanges writes page numbers in any order as ranges, such as "1-3, 7". A number that stands twice counts once.
func PageRanges(pages []int) string {
	pages = slices.Clone(pages)
	slices.Sort(pages)
	pages = slices.Compact(pages)
	var b strings.Builder
	for i := 0; i < len(pages); {
		end := i
		for end+1 < len(pages) && pages[end+1] == pages[end]+1 {
			end++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(pages[i]))
		if end > i {
			b.WriteString("-" + strconv.Itoa(pages[end]))
		}
		i = end + 1
	}
	return b.String()
}
