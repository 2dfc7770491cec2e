package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"segel/internal/contract"
)

func TestAcceptFindingsReachTheRule(t *testing.T) {
	t.Parallel()
	b := newBench(t, processing()) // finalizing it again changes nothing
	for body, want := range map[string]struct {
		status int
		codes  []contract.FindingCode
	}{
		`"accept_findings":["finding.launch","finding.external"]`:           {200, []contract.FindingCode{"finding.launch", "finding.external"}},
		`"accept_findings":null`:                                            {200, nil},
		`"stamp_only":0`:                                                    {200, nil},
		`"accept_findings":"finding.launch"`:                                {422, nil},
		`"accept_findings":[1]`:                                             {422, nil},
		`"accept_findings":[` + strings.Repeat(`"x",`, maxItems+1) + `"x"]`: {422, nil},
	} {
		var in finalizeIn
		var bad problems
		err := decodeObject([]byte(`{"document_id":1207,`+body+`}`), &in)
		codes := parseFindingCodes(in.AcceptFindings, &bad)
		if ok := err == nil && bad.asError() == nil; ok != (want.status == 200) || ok && !slices.Equal(codes, want.codes) {
			t.Errorf("%.60s: %v %v, %q", body, err, bad, codes)
		}
		if w := b.ask("POST", sBase+"finalize-docs", `{"document_id":1207,`+body+`}`); w.Code != want.status {
			t.Errorf("%.60s: %d %.200s", body, w.Code, w.Body)
		}
	}
}

func TestFindingsThatAreNotAcceptedAreNamed(t *testing.T) {
	t.Parallel()
	d := draft()
	d.Placements = []contract.Placement{{Kind: contract.PlaceSignature, Page: 1, Person: siti.ID, Box: contract.Box{LLX: 100, LLY: 100, URX: 200, URY: 150}}}
	d.Findings = []contract.Finding{contract.NewFinding(contract.FindingLaunch, 3, "pages", "3", "what", "calc.exe"), contract.NewFinding("finding.print_differs", 1)}
	b := newBench(t, d)
	w := b.ask("POST", sBase+"finalize-docs", `{"document_id":1207}`)
	var out failure
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 422 || out.Error.Code != "document.active_content" || len(out.Error.Fields) != 2 {
		t.Fatalf("%d %s, %v", w.Code, w.Body, err)
	}
	if f := out.Error.Fields[0]; f.Field != "accept_findings" || f.Code != "finding.launch" || !strings.Contains(f.Msg, "calc.exe") || !strings.Contains(f.Msg, "halaman 3") {
		t.Errorf("%+v", f)
	}
}

func TestPagesShownReachTheRule(t *testing.T) {
	t.Parallel()
	digest := fmt.Sprintf("%064x", 7)
	b := newBench(t, processing())
	for body, want := range map[string]struct {
		status int
		pages  []int
	}{
		`"pages_shown":[1,"2",3.0]`: {200, []int{1, 2, 3}},
		`"pages_shown":[]`:          {200, nil},
		`"pages_shown":null`:        {200, nil},
		`"otp":""`:                  {200, nil},
		`"pages_shown":"1-3"`:       {422, nil},
		`"pages_shown":[1,"x"]`:     {422, nil},
		`"pages_shown":[` + strings.Repeat("1,", maxItems+1) + `1]`: {422, nil},
	} {
		var in signIn
		var bad problems
		err := decodeObject([]byte(`{"document_id":1207,"digest":"`+digest+`",`+body+`}`), &in)
		pages := parsePageNumbers("pages_shown", in.PagesShown, &bad)
		if ok := err == nil && bad.asError() == nil; ok != (want.status == 200) || ok && !slices.Equal(pages, want.pages) {
			t.Errorf("%.60s: %v %v, %v", body, err, bad, pages)
		}
		status := want.status
		if status == 200 {
			status = 409 // the rule refuses the digest, which is not that of the current revision
		}
		if w := b.ask("POST", sBase+"sign-docs", `{"document_id":1207,"digest":"`+digest+`",`+body+`}`, "X-Access-Token", "signer"); w.Code != status {
			t.Errorf("%.60s: %d %.200s", body, w.Code, w.Body)
		}
	}
}

func TestTheLogSaysWhichPagesWereShown(t *testing.T) {
	t.Parallel()
	b := finalized(t)
	digest := strings.Trim(b.ask("GET", dBase+"preview/1207", "", "X-Access-Token", "signer").Header().Get("ETag"), `"`)
	requireOK[done[verbData]](t, b.ask("POST", sBase+"sign-docs", `{"document_id":1207,"digest":"`+digest+`","pages_shown":[1,"2"],"pictures_shown":[2]}`, "X-Access-Token", "signer"))
	shown := ""
	for _, e := range b.events() {
		if e.Type == contract.EventSigned {
			shown = e.Details["pages_shown"] + ", as pictures " + e.Details["pages_as_pictures"]
		}
	}
	if shown != "1-2, as pictures 2" {
		t.Errorf("the log says %q: %+v", shown, b.events())
	}
}

func TestDetailTellsFindingsToThoseWhoSign(t *testing.T) {
	t.Parallel()
	d := processing()
	launch := contract.NewFinding(contract.FindingLaunch, 3, "pages", "3, 5", "what", "calc.exe")
	launch.Accepted = true
	d.Findings = []contract.Finding{launch, contract.NewFinding(contract.FindingMedia, 0)}
	b := newBench(t, d)
	w := b.ask("GET", dBase+"detail/1207", "")
	var out struct{ Data struct{ Warnings []warning } }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || len(out.Data.Warnings) != 2 {
		t.Fatalf("%s, %v", w.Body, err)
	}
	first := out.Data.Warnings[0]
	if first.Code != "finding.launch" || first.Field != "document" || first.Page != 3 || !first.MustAccept || !first.Accepted || !strings.Contains(first.Msg, "3, 5") {
		t.Errorf("%+v", first)
	}
	if second := out.Data.Warnings[1]; second.Page != 0 || second.MustAccept || second.Accepted || strings.Contains(w.Body.String(), `"page":0`) {
		t.Errorf("%+v", second)
	}
}
