package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/store/storetest"
	"segel/internal/text"
)

func TestTheWindowOfPagesFollowsTheCurrentOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page         int64
		limit, total int
		pages        int64
		prev, next   int64
		first, last  bool
		detail       []int64
	}{
		{1, 20, 0, 0, 0, 0, false, false, []int64{}},
		{1, 20, 1, 1, 0, 0, false, false, []int64{}},
		{1, 20, 20, 1, 0, 0, false, false, []int64{}},
		{1, 20, 21, 2, 0, 2, false, false, []int64{1, 2}},
		{2, 20, 21, 2, 1, 0, false, false, []int64{1, 2}},
		{1, 1, 5, 5, 0, 2, false, false, []int64{1, 2, 3, 4, 5}},
		{5, 1, 5, 5, 4, 0, false, false, []int64{1, 2, 3, 4, 5}},
		{1, 1, 6, 6, 0, 2, false, true, []int64{1, 2, 3, 4, 5}},
		{3, 1, 6, 6, 2, 4, false, true, []int64{1, 2, 3, 4, 5}},
		{4, 1, 6, 6, 3, 5, true, false, []int64{2, 3, 4, 5, 6}},
		{6, 1, 6, 6, 5, 0, true, false, []int64{2, 3, 4, 5, 6}},
		{5, 1, 9, 9, 4, 6, true, true, []int64{3, 4, 5, 6, 7}},
		{99999, 20, 41, 3, 3, 0, false, false, []int64{1, 2, 3}},
		{99999, 1, 9, 9, 9, 0, true, false, []int64{5, 6, 7, 8, 9}},
		{7, 20, 0, 0, 0, 0, false, false, []int64{}},
		{1 << 53, 100, 300, 3, 3, 0, false, false, []int64{1, 2, 3}},
	} {
		got := paginate(page{c.page, c.limit}, c.total, 0)
		if got.TotalPage != c.pages || got.Prev != c.prev || got.Next != c.next || got.FirstPage != c.first || got.LastPage != c.last || !slices.Equal(got.Detail, c.detail) || got.Detail == nil || got.Current != c.page {
			t.Errorf("page %d of %d by %d: %+v", c.page, c.total, c.limit, got)
		}
	}
}

func TestAListAsksForWhatTheQuerySays(t *testing.T) {
	t.Parallel()
	all := store.ListQuery{Person: andi.ID, Box: store.Outbox, Period: store.PeriodAll, Limit: 20, Now: now, View: store.FilingView{Organisation: works, Space: andi.ID}, Summary: true}
	with := func(change func(*store.ListQuery)) store.ListQuery {
		q := all
		change(&q)
		return q
	}
	for query, want := range map[string]store.ListQuery{
		"data":          with(func(q *store.ListQuery) { q.Box = store.Inbox }),
		"out":           all,
		"data?type=out": all,
		"out?type=in":   with(func(q *store.ListQuery) { q.Box = store.Inbox }),
		"out?page=3&limit=100&periode=7d&status=failed&search=+sewa%0A": with(func(q *store.ListQuery) {
			q.State, q.Period, q.Search, q.Offset, q.Limit = contract.Failed, store.PeriodWeek, "sewa", 200, 100
		}),
		"out?page=&limit=&type=&status=&periode=": all,
		"out?page=9007199254740992&limit=100":     with(func(q *store.ListQuery) { q.Offset, q.Limit = (1<<53-1)*100, 100 }),
		"out?unknown=1":                           all,
		"out?label=+L1&folder=F2":                 with(func(q *store.ListQuery) { q.Label, q.Folder = "l1", "f2" }),
		"data?waiting=me&sort=deadline&person=+Siti%40Contoh.id&without=draft": with(func(q *store.ListQuery) {
			q.Box, q.Waiting, q.Order, q.With, q.Without = store.Inbox, true, store.OrderDeadline, "Siti@Contoh.id", contract.Draft
		}),
	} {
		b := newBench(t, draft())
		if w := b.ask("GET", dBase+query, ""); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
		if b.store.about != want {
			t.Errorf("%s: asked %+v, want %+v", query, b.store.about, want)
		}
	}
}

func TestAListShowsOfASummaryWhatItShowsOfTheDocument(t *testing.T) {
	t.Parallel()
	converting, unconvertible, removed, hidden, shared, delegated, template := draft(), draft(), completed(), processing(), processing(), processing(), draft()
	converting.Conversion.State, unconvertible.Conversion.State, unconvertible.Conversion.Problem = contract.Converting, contract.ConversionFailed, "word.damaged"
	removed.Original.Key = "removed/" + removed.Original.Key
	hidden.Delivery.HideAddresses = true
	shared.Team = contract.Team{ID: "team", Name: "Sales"}
	delegated.Delegations = []contract.Delegation{{From: delegated.Participants[0].ID, To: "other", At: now}}
	delegated.Participants[0].Role, delegated.Participants[0].Group = contract.Viewer, 1
	template.Template, template.Participants[0].Placeholder = true, true
	for i, d := range []contract.Document{draft(), processing(), signed(), completed(), failed(), converting, unconvertible, removed, hidden, shared, delegated, template} {
		callers := []contract.Actor{{Person: d.Owner, Organisation: d.Organisation}, {Person: contract.Person{ID: "other"}, Organisation: d.Organisation, Teams: []contract.Team{shared.Team}}}
		for _, p := range d.Participants {
			callers = append(callers, contract.Actor{Person: p.Person, Organisation: "elsewhere"}, contract.Actor{Person: contract.Person{ID: "account"}, Mailbox: p.Email})
		}
		for _, by := range callers {
			c := &call{exchange: &exchange{language: text.English}, server: &server{Options: Options{Clock: func() time.Time { return now }}}, by: by}
			if got, want := c.listItem(storetest.Summarise(d)), c.listItem(d); !reflect.DeepEqual(got, want) {
				t.Errorf("document %d for %+v: %+v, want %+v", i, by, got, want)
			}
		}
	}
}

func TestAListRefusesWhatItCannotUnderstand(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	for query, field := range map[string]string{
		"page=0": "page", "page=-1": "page", "page=x": "page", "page=1.5": "page", "page=9007199254740993": "page",
		"limit=0": "limit", "limit=101": "limit", "limit=100000": "limit", "limit=x": "limit",
		"type=sideways": "type", "status=nonsense": "status", "periode=2d": "periode",
		"waiting=you": "waiting", "sort=size": "sort", "without=nonsense": "without", "person=" + strings.Repeat("x", 1001): "person",
	} {
		for _, path := range []string{dBase + "data?", dBase + "out?", "/v1/auth/list_user?"} {
			if path == "/v1/auth/list_user?" && field != "page" && field != "limit" {
				continue
			}
			f := refused(t, b.ask("GET", path+query, ""), 422, "input.invalid")
			if len(f.Error.Fields) != 1 || f.Error.Fields[0].Field != field {
				t.Errorf("%s%s: %+v", path, query, f.Error.Fields)
			}
		}
	}
	f := refused(t, b.ask("GET", dBase+"out?page=0&limit=0&type=x&status=x&periode=x", ""), 422, "input.invalid")
	if len(f.Error.Fields) != 5 {
		t.Errorf("not everything wrong is named at once: %+v", f.Error.Fields)
	}
}

func TestWhatTheFilterListsCanBeChosen(t *testing.T) {
	t.Parallel()
	b := newBench(t, draft())
	var out found[listData]
	if err := json.Unmarshal(b.ask("GET", dBase+"out", "").Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	for name, choices := range map[string][]choice{"periode": out.Data.Pagination.Filter.Periode, "status": out.Data.Pagination.Filter.Status} {
		if len(choices) == 0 {
			t.Errorf("%s lists nothing", name)
		}
		for _, c := range choices {
			if w := b.ask("GET", fmt.Sprintf("%sout?%s=%s", dBase, name, url.QueryEscape(c.Value)), ""); w.Code != 200 {
				t.Errorf("%s=%s: %s", name, c.Value, w.Body)
			}
		}
	}
}

func TestCountsAndContactsAreThoseOfTheCaller(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing())
	counts := func(query, who string) listCounts {
		t.Helper()
		var out found[listCounts]
		w := b.ask("GET", dBase+"counts?"+query, "", "X-Access-Token", who)
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 || len(out.Data.Status) != len(contract.States) {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		return out.Data
	}
	if n := counts("type=out", "owner"); n.TotalData != 1 || n.Status[slices.Index(contract.States, contract.Processing)].Total != 1 {
		t.Errorf("sent: %+v", n)
	}
	if n := counts("", "owner"); n.TotalData != 0 || n.Waiting != 0 {
		t.Errorf("received: %+v", n)
	}
	if n := counts("", "signer"); n.TotalData != 1 {
		t.Errorf("received by the signer: %+v", n)
	}
	if n := counts("type=out&search=nowhere", "owner"); n.TotalData != 0 {
		t.Errorf("searched: %+v", n)
	}
	contacts := func(query, who string) []contact {
		t.Helper()
		var out found[contactData]
		w := b.ask("GET", dBase+"contacts?"+query, "", "X-Access-Token", who)
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 || out.Data.People == nil {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		return out.Data.People
	}
	if all := contacts("", "owner"); len(all) == 0 || slices.ContainsFunc(all, func(p contact) bool { return p.Email == andi.Email }) {
		t.Errorf("contacts of the owner: %+v", all)
	}
	if all := contacts("", "elsewhere"); len(all) != 0 {
		t.Errorf("contacts of a person without documents: %+v", all)
	}
	refused(t, b.ask("GET", dBase+"counts?type=x", ""), 422, "input.invalid")
}
