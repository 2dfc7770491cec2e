package api

import (
	"cmp"
	"net/url"
	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
	"segel/internal/workflow"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

type listData struct {
	Documents  []listItem `json:"documents"`
	Pagination pagination `json:"pagination"`
}

type listItem struct {
	ID            contract.DocumentID `json:"id" example:"1207"`
	DocumentName  string              `json:"document_name" doc:"unique, made by the service" example:"sewa-1728885960123-4VnJ2xQpR7sTyWbCdEfGh8"`
	DocumentTitle string              `json:"document_title" example:"Perjanjian Sewa"`
	CreatedAt     string              `json:"created_at" doc:"for display, in Asia/Jakarta" example:"14 Okt 24, 13:06"`
	Status        contract.State      `json:"status" example:"processing"`
	StatusInfo    string              `json:"status_info" example:"Menunggu tanda tangan"`
	ButtonText    string              `json:"button_text" doc:"label of what the caller would do next" example:"Tanda Tangan"`
	DataSigner    []listSigner        `json:"data_signer" doc:"participants by number"`
	Expired       *string             `json:"expired" doc:"ISO 8601, null for never"`
	IsExpired     string              `json:"is_expired" enum:"0,1" example:"0"`
	Owner         listOwner           `json:"owner"`
	Specimen      bool                `json:"specimen" doc:"stamped by the sandbox office: of no legal value"`
}

type listSigner struct {
	UserID        contract.PersonID `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name          string            `json:"name" example:"Siti Rahma"`
	Email         *string           `json:"email" example:"siti@contoh.id"`
	Avatar        string            `json:"avatar" doc:"address of a picture"`
	IsSigning     bool              `json:"is_signing" doc:"it is his turn now"`
	SignerRole    string            `json:"signer_role" enum:"owner,signer,viewer" example:"signer"`
	SignerNumber  int               `json:"signer_number" example:"1"`
	Status        bool              `json:"status" doc:"has acted: signed, or viewed as a viewer"`
	SigningStatus bool              `json:"signing_status" doc:"has signed"`
}

type listOwner struct {
	Owner     string `json:"owner" doc:"a role word" example:"owner"`
	Name      string `json:"name" example:"Andi Wijaya"`
	CreatedAt string `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
}

// listBox lists one of the caller's boxes, or the one that the query names.
func listBox(own store.Box) func(*call) (listData, error) {
	return func(c *call) (listData, error) {
		q := c.parseQuery()
		p := q.parsePage(listLimit)
		r := workflow.ListRequest{
			Box: cmp.Or(parseChoice(q, "type", []store.Box{store.Inbox, store.Outbox}), own), State: parseChoice(q, "status", contract.States),
			Period: cmp.Or(parseChoice(q, "periode", periods), store.PeriodAll), Search: q.parseSearch(), Page: int(p.number), Limit: p.limit,
		}
		if err := q.bad.asError(); err != nil {
			return listData{}, err
		}
		l, err := c.Workflow.List(c.r.Context(), c.by, r)
		if err != nil {
			return listData{}, err
		}
		data := listData{Documents: convertAll(l.Documents, c.listItem), Pagination: paginate(p, l.Total, len(l.Documents))}
		data.Pagination.Filter = c.filterChoices()
		return data, nil
	}
}

func (c *call) listItem(d contract.Document) listItem {
	item := listItem{
		ID: d.ID, DocumentName: d.Name, DocumentTitle: d.Title, CreatedAt: text.ShortTime(c.language, d.CreatedAt),
		Status: d.State, StatusInfo: c.statusInfo(&d), ButtonText: text.ButtonLabel(c.language, &d, c.by.ID),
		DataSigner: []listSigner{}, Expired: isoOrNull(d.ExpiresAt), IsExpired: isExpired(&d, c.Clock()),
		Owner:    listOwner{Owner: "owner", Name: d.Owner.Name, CreatedAt: formatISO(d.CreatedAt)},
		Specimen: d.Specimen,
	}
	for _, p := range d.Participants {
		role := string(p.Role)
		if p.ID == d.Owner.ID {
			role = "owner"
		}
		item.DataSigner = append(item.DataSigner, listSigner{
			UserID: p.ID, Name: p.Name, Email: orNull(p.Email), Avatar: c.avatarURL(p.Person),
			IsSigning: d.InTurn(p.ID), SignerRole: role, SignerNumber: p.Number, Status: d.HasActed(p), SigningStatus: d.HasSigned(p),
		})
	}
	return item
}

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
	now time.Time
	bad problems
}

func (c *call) parseQuery() *query { return &query{Values: c.r.URL.Query(), now: c.Clock()} }

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

// listParams describes the query of a list of documents.
func listParams() []*huma.Param {
	return append(pageParams(listLimit),
		choiceParam("type", "in or out; overrides that of the path.", []store.Box{store.Inbox, store.Outbox}),
		choiceParam("periode", "By the day on which a document was created, in Asia/Jakarta.", periods),
		choiceParam("status", "Only documents with this status.", contract.States),
	)
}

// parseChoice reads a query value that must be one of values. Empty means any.
func parseChoice[T ~string](q *query, name string, values []T) T {
	s := T(q.Get(name))
	if s != "" && !slices.Contains(values, s) {
		q.bad.add(name, "value.not_one_of", "allowed", joinValues(values))
		return ""
	}
	return s
}

func choiceParam[T ~string](name, doc string, values []T) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: enumOf(values)}
}
