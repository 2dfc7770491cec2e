package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ShownPages is what a service showed a signer before they asked to sign, and the list that their consent covered. The zero
// value means that nothing is known, as with clients that sign without showing anything.
type ShownPages struct {
	Digest [32]byte // SHA-256 of the revision that was shown; zero: the client does not say
	Pages  []int    // numbers of the shown pages, from 1, in any order; empty: the client does not say, or showed none

	Pictures []int // those of Pages of which only a picture that the service drew was shown, and not the file itself

	Consent Consent // over the list of which the document is one; zero: over this document by itself

	Accepted Acceptance // of the consent text; zero: the service showed none
}

// PagesNone stands for the pages in a signature event if the service showed none.
const PagesNone = "none"

// isKnown reports whether the client says which pages of which revision were shown.
func (s ShownPages) isKnown() bool { return s.Digest != [32]byte{} && len(s.Pages) > 0 }

// checkPages refuses page numbers that the document does not have, and pictures of pages that were not shown.
func (s ShownPages) checkPages(d *Document) error {
	for i, page := range s.Pages {
		if page < 1 || page > d.Pages {
			return InvalidInput(NewFieldError(fmt.Sprintf("pages_shown[%d]", i), "placement.no_such_page", "page", page, "pages", d.Pages))
		}
	}
	shown := make(map[int]bool, len(s.Pages))
	for _, page := range s.Pages {
		shown[page] = true
	}
	for i, page := range s.Pictures {
		if !shown[page] {
			return InvalidInput(NewFieldError(fmt.Sprintf("pictures_shown[%d]", i), "page.not_shown", "page", page))
		}
	}
	return nil
}

// eventDetails returns details of an event: the pages as ranges, the number of pages of the document, those shown as pictures, the
// consented list, and the accepted text.
func (s ShownPages) eventDetails(d *Document) []string {
	consent := append(s.Consent.eventDetails(), s.Accepted.eventDetails(d.ID)...)
	if !s.isKnown() {
		return append([]string{"pages_shown", PagesNone}, consent...)
	}
	pages := []string{"pages_shown", PageRanges(s.Pages), "pages", strconv.Itoa(d.Pages)}
	if len(s.Pictures) > 0 {
		pages = append(pages, "pages_as_pictures", PageRanges(s.Pictures))
	}
	return append(pages, consent...)
}

// PageRanges formats page numbers in any order as ranges, such as "1-3, 7". Duplicates count once.
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
