package main

import (
	"strings"
	"testing"
	"time"
)

// even is a trial of one order with two stamps that ended well.
func even() ([]*order, map[string]*officeSerial, serviceRecords) {
	at := time.Unix(1_800_000_000, 0)
	orders := []*order{{id: 7, ordered: true, state: "completed", places: make([]place, 2), serials: []string{"A", "B"}}}
	journal := map[string]*officeSerial{
		"A": {file: "kuitansi-1.pdf", at: at, sources: []string{"first"}},
		"B": {file: "kuitansi-2.pdf", at: at, sources: []string{"second"}},
	}
	b := serviceRecords{
		stamps:    []stampRow{{7, 0, "affixed", "1", "A"}, {7, 1, "affixed", "2", "B"}},
		register:  map[string]registerEntry{"A": {"affixed", 7}, "B": {"affixed", 7}},
		orders:    map[string]time.Time{"1": at.Add(-time.Second), "2": at.Add(-time.Second)},
		quota:     quota{granted: 10, spent: 2},
		documents: []int64{7},
		waiting:   map[int64]string{},
	}
	return orders, journal, b
}

func accountEven() resultTable {
	orders, journal, b := even()
	return compareRecords(orders, nil, journal, b)
}

func TestConsistentRecordsHaveNoFault(t *testing.T) {
	t.Parallel()
	if p := accountEven(); p.countFaults() != 0 {
		t.Errorf("%+v", p)
	}
}

func TestEachFaultIsReportedInItsLine(t *testing.T) {
	t.Parallel()
	for line, damage := range map[string]func(*order, map[string]*officeSerial, *serviceRecords){
		"**lost**": func(o *order, _ map[string]*officeSerial, _ *serviceRecords) { o.state = "processing" },
		"**a serial on two documents**": func(_ *order, _ map[string]*officeSerial, b *serviceRecords) {
			b.stamps[1].document, b.stamps[1].serial = 8, "A"
		},
		"**issued and unaccounted**": func(_ *order, _ map[string]*officeSerial, b *serviceRecords) {
			delete(b.register, "B")
			b.stamps[1].serial = ""
		},
		"issued before the order": func(_ *order, j map[string]*officeSerial, _ *serviceRecords) { j["B"].at = j["B"].at.Add(-time.Minute) },
		"bought and not used": func(_ *order, j map[string]*officeSerial, b *serviceRecords) {
			j["C"] = &officeSerial{file: "kuitansi-2.pdf", at: j["B"].at}
		},
		"serials here that the office": func(_ *order, j map[string]*officeSerial, _ *serviceRecords) { delete(j, "A") },
		"affixed here and not there":   func(_ *order, j map[string]*officeSerial, _ *serviceRecords) { j["A"].sources = nil },
		"**quota leaked**":             func(_ *order, _ map[string]*officeSerial, b *serviceRecords) { b.quota.reserved = 1 },
		"**documents uploaded twice**": func(_ *order, _ map[string]*officeSerial, b *serviceRecords) { b.documents = append(b.documents, 8) },
		"attempts never closed":        func(_ *order, _ map[string]*officeSerial, b *serviceRecords) { b.open = 1 },
	} {
		orders, journal, b := even()
		damage(orders[0], journal, &b)
		told := false
		for _, l := range compareRecords(orders, nil, journal, b) {
			told = told || l.fault != "" && strings.HasPrefix(l.what, line)
		}
		if !told {
			t.Errorf("%s is not told", line)
		}
	}
}

func TestOrderThatWaitsForAPersonWithItsReasonIsNotLost(t *testing.T) {
	t.Parallel()
	orders, journal, b := even()
	orders[0].state, b.waiting[7] = "failed", "these serials cannot be told apart"
	if p := compareRecords(orders, nil, journal, b); p.countFaults() != 0 {
		t.Errorf("%+v", p)
	}
	b.waiting[7] = ""
	if p := compareRecords(orders, nil, journal, b); p.countFaults() == 0 {
		t.Error("it is not lost without a reason")
	}
}
