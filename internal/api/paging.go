package api

import (
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

// Bounds of a page.
const (
	listLimit      = 20
	directoryLimit = 10
	maxLimit       = 100
	windowLen      = 5 // page numbers shown around the current one
)

var periods = []store.Period{store.PeriodAll, store.PeriodToday, store.PeriodWeek, store.PeriodMonth, store.PeriodYear}

// pagination is the position of a page in the list.
type pagination struct {
	TotalData    int64   `json:"total_data" doc:"items in all" example:"42"`
	TotalPage    int64   `json:"total_page" example:"3"`
	TotalDisplay int     `json:"total_display" doc:"items on this page" example:"20"`
	FirstPage    bool    `json:"first_page" doc:"a button that jumps to the first page is useful"`
	LastPage     bool    `json:"last_page" doc:"a button that jumps to the last page is useful"`
	Prev         int64   `json:"prev" doc:"0 when there is none"`
	Current      int64   `json:"current" example:"1"`
	Next         int64   `json:"next" doc:"0 when there is none" example:"2"`
	Detail       []int64 `json:"detail" doc:"at most five page numbers around current; empty when there is at most one page"`
	Filter       filter  `json:"filter"`
	Limit        int     `json:"limit,omitempty" doc:"told by the directory alone" example:"10"`
}

// filter lists the values that a client can choose.
type filter struct {
	Periode []choice `json:"periode"`
	Status  []choice `json:"status"`
}

type choice struct {
	Label string `json:"label" example:"Semua"`
	Value string `json:"value" example:"all"`
}

// page is a requested page; number starts at 1.
type page struct {
	number int64
	limit  int
}

// paginate returns the position of page p in a list of total items, with shown items on the page.
func paginate(p page, total, shown int) pagination {
	pages := (int64(total) + int64(p.limit) - 1) / int64(p.limit)
	out := pagination{
		TotalData: int64(total), TotalPage: pages, TotalDisplay: shown, Current: p.number,
		Prev: min(p.number-1, pages), Detail: []int64{},
		Filter: filter{Periode: []choice{}, Status: []choice{}},
	}
	if p.number < pages {
		out.Next = p.number + 1
	}
	if pages <= 1 {
		return out
	}
	first := max(min(p.number-windowLen/2, pages-windowLen+1), 1)
	last := min(first+windowLen-1, pages)
	for n := first; n <= last; n++ {
		out.Detail = append(out.Detail, n)
	}
	out.FirstPage, out.LastPage = first > 1, last < pages
	return out
}

// query reads the query of a list. A missing or empty value has its default; an invalid one is noted in bad.
type query struct {
	url.Values
	bad problems
}

func (c *call) parseQuery() *query { return &query{Values: c.r.URL.Query()} }

func (q *query) parsePage(limit int) page {
	p := page{number: 1, limit: limit}
	if s := q.Get("page"); s != "" {
		n, ok := parseInteger(s)
		if !ok || n < 1 {
			q.bad.add("page", "value.out_of_range", "min", 1, "max", maxInteger)
		}
		p.number = n
	}
	if s := q.Get("limit"); s != "" {
		n, ok := parseInteger(s)
		if !ok || n < 1 || n > maxLimit {
			q.bad.add("limit", "value.out_of_range", "min", 1, "max", maxLimit)
		}
		p.limit = int(n)
	}
	return p
}

func (q *query) parseBox(own store.Box) store.Box {
	switch s := store.Box(q.Get("type")); s {
	case "":
		return own
	case store.Inbox, store.Outbox:
		return s
	}
	q.bad.add("type", "value.not_one_of", "allowed", "in, out")
	return own
}

func (q *query) parseState() contract.State {
	s := contract.State(q.Get("status"))
	if s != "" && !slices.Contains(contract.States, s) {
		q.bad.add("status", "value.not_one_of", "allowed", joinValues(contract.States))
	}
	return s
}

func (q *query) parsePeriod() store.Period {
	p := store.Period(q.Get("periode"))
	if p == "" {
		return store.PeriodAll
	}
	if !slices.Contains(periods, p) {
		q.bad.add("periode", "value.not_one_of", "allowed", joinValues(periods))
	}
	return p
}

// maxSearch bounds the search text, in bytes.
const maxSearch = 1000

func (q *query) parseSearch() string {
	s := strings.TrimSpace(q.Get("search"))
	if len(s) > maxSearch {
		q.bad.add("search", "text.too_long", "limit", maxSearch)
	}
	return contract.CleanText(s)
}

// filterChoices returns the filter of document lists.
func (c *call) filterChoices() filter {
	f := filter{}
	for _, p := range periods {
		f.Periode = append(f.Periode, choice{c.sentenceOf("periode." + string(p)), string(p)})
	}
	for _, s := range contract.States {
		f.Status = append(f.Status, choice{text.State(c.language, s), string(s)})
	}
	return f
}

// joinValues lists values for a message.
func joinValues[T ~string](values []T) string {
	var b strings.Builder
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

// pageParams describes the query of a page in the specification.
func pageParams(limit int) []*huma.Param {
	one, most := 1.0, float64(maxLimit)
	return []*huma.Param{
		{Name: "page", In: "query", Description: "The page, from 1. One out of range is empty.", Schema: &huma.Schema{Type: "integer", Minimum: &one, Default: 1}, Example: 1},
		{Name: "limit", In: "query", Description: "Items on a page.", Schema: &huma.Schema{Type: "integer", Minimum: &one, Maximum: &most, Default: limit}, Example: limit},
		{Name: "search", In: "query", Description: "Part of what is looked for, in any case of letters.", Schema: &huma.Schema{Type: "string"}},
	}
}
