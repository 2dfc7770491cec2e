package main

import (
	"fmt"
	"io"
	"maps"
	"strings"
	"time"
)

// resultLine is one line of the table: a figure, and whether it is as required.
type resultLine struct {
	what  string
	value string
	fault string // what is wrong; empty: nothing
}

// resultTable collects lines.
type resultTable []resultLine

// addFigure adds a figure without a requirement.
func (p *resultTable) addFigure(what, format string, args ...any) {
	*p = append(*p, resultLine{what: what, value: fmt.Sprintf(format, args...)})
}

// addZeroCount adds a count that must be 0. Examples describe the items counted.
func (p *resultTable) addZeroCount(what string, examples []string) {
	l := resultLine{what: what, value: fmt.Sprint(len(examples))}
	if len(examples) > 0 {
		l.fault = strings.Join(examples[:min(len(examples), 5)], "; ")
	}
	*p = append(*p, l)
}

// countFaults counts the lines that are not as required.
func (p resultTable) countFaults() int {
	n := 0
	for _, l := range p {
		if l.fault != "" {
			n++
		}
	}
	return n
}

func (p resultTable) printTable(w io.Writer) {
	fmt.Fprintln(w, "\n| what | count | |\n|---|---|---|")
	for _, l := range p {
		verdict := ""
		if l.fault != "" {
			verdict = "FAULT: " + l.fault
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", l.what, l.value, verdict)
	}
}

// printFaults prints the lines that are not as required, after the seed of the trial.
func (p resultTable) printFaults(w io.Writer, seed uint64) {
	fmt.Fprintf(w, "fault: %d lines are not as required, seed %d:\n", p.countFaults(), seed)
	for _, l := range p {
		if l.fault != "" {
			fmt.Fprintf(w, "fault: %s: %s: %s\n", l.what, l.value, l.fault)
		}
	}
}

// compareRecords compares the office's journal with the service's records, and both with what the client was told. Apart from the
// orders' documents there must be only those in others.
func compareRecords(orders []*order, others map[int64]bool, journal map[string]*officeSerial, b serviceRecords) resultTable {
	var p resultTable
	completed, again, resent, ours := 0, 0, 0, maps.Clone(others)
	if ours == nil {
		ours = map[int64]bool{}
	}
	var lost, waiting []string
	stamps := 0
	for _, o := range orders {
		stamps += len(o.places)
		ours[o.id] = true
		if o.resent > 0 {
			resent++
		}
		if o.again > 0 {
			again++
		}
		reason := b.waiting[o.id]
		switch {
		case !o.ordered:
			lost = append(lost, fmt.Sprintf("document %d was never acknowledged", o.id))
		case o.state == "completed":
			completed++
		case o.state == "failed" && reason != "":
			waiting = append(waiting, reason)
		default:
			lost = append(lost, fmt.Sprintf("document %d is %s, %q", o.id, o.state, reason))
		}
	}
	p.addFigure("orders acknowledged; asked for more than once", "%d; %d", len(orders), again)
	p.addFigure("of them completed", "%d", completed)
	p.addFigure("wait for a person, with the reason", "%d %s", len(waiting), strings.Join(waiting[:min(len(waiting), 3)], "; "))
	p.addZeroCount("**lost**: acknowledged, neither completed nor waiting for a person", lost)
	p.addFigure("orders uploaded more than once, with the same Idempotency-Key", "%d", resent)
	p.addZeroCount("**documents uploaded twice**", listDoubled(b.documents, ours))
	p.addZeroCount("events whose time contradicts those before them", b.misdated)
	p.addFigure("duty stamps ordered", "%d", stamps)
	return append(append(p, compareSerials(journal, b)...), compareQuota(journal, b)...)
}

// listDoubled lists the documents that belong to no order: a repeated upload created another one.
func listDoubled(documents []int64, ours map[int64]bool) (all []string) {
	for _, id := range documents {
		if !ours[id] {
			all = append(all, fmt.Sprintf("document %d", id))
		}
	}
	return all
}

// compareSerials accounts for every serial of the office's journal.
func compareSerials(journal map[string]*officeSerial, b serviceRecords) resultTable {
	var p resultTable
	on := map[string][]stampRow{}
	for _, s := range b.stamps {
		if s.serial != "" {
			on[s.serial] = append(on[s.serial], s)
		}
	}
	affixed, kept := 0, map[string]int{}
	var twice, nowhere, early, idle, unknown []string
	for serial, there := range journal {
		if len(there.sources) > 0 {
			affixed++
		}
		if len(there.sources) > 1 {
			twice = append(twice, serial+" has two sources")
		}
		known := b.register[serial]
		switch here := on[serial]; {
		case len(here) > 1:
			twice = append(twice, fmt.Sprintf("%s is on documents %d and %d", serial, here[0].document, here[1].document))
		case len(here) == 1 && known.document == here[0].document, len(here) == 0 && known.state != "":
			kept[known.state]++
		default:
			nowhere = append(nowhere, fmt.Sprintf("%s for %s is on %d placements, %q in the register", serial, there.file, len(here), known.state))
		}
		if len(there.sources) == 0 && len(on[serial]) == 0 {
			idle = append(idle, fmt.Sprintf("%s for %s is %s", serial, there.file, known.state))
		}
		if at, ok := b.orders[orderOf(there.file)]; !ok || at.After(there.at.Add(time.Millisecond)) {
			early = append(early, serial+" for "+there.file)
		}
	}
	for _, s := range b.stamps {
		if s.serial != "" && journal[s.serial] == nil {
			unknown = append(unknown, s.serial)
		}
	}
	for serial := range b.register {
		if journal[serial] == nil {
			unknown = append(unknown, serial)
		}
	}
	p.addFigure("serials issued; affixed there", "%d; %d", len(journal), affixed)
	p.addFigure("the register's states of them", "%v", kept)
	p.addZeroCount("**a serial on two documents**", twice)
	p.addZeroCount("**issued and unaccounted**: not on one placement, and not in the register", nowhere)
	p.addZeroCount("issued before the order for it was recorded", early)
	p.addZeroCount("bought and not used: no order was let go of, so that every serial was to be", idle)
	p.addZeroCount("serials here that the office never issued", unknown)
	return p
}

// orderOf returns our order's identifier, which is the end of a file's name at the office.
func orderOf(file string) string {
	name := strings.TrimSuffix(file, ".pdf")
	return name[strings.LastIndexByte(name, '-')+1:]
}

// compareQuota compares the quota with the stamps.
func compareQuota(journal map[string]*officeSerial, b serviceRecords) resultTable {
	var p resultTable
	owed, affixed := 0, 0
	var differ []string
	for _, s := range b.stamps {
		if s.state != "affixed" {
			owed++ // it waits for a person, who may still have it stamped
			continue
		}
		affixed++
		if there := journal[s.serial]; there == nil || len(there.sources) == 0 {
			differ = append(differ, s.serial)
		}
	}
	p.addZeroCount("affixed here and not there", differ)
	p.addFigure("quota: granted; spent; reserved", "%d; %d; %d", b.quota.granted, b.quota.spent, b.quota.reserved)
	var leaked, unclosed []string
	if b.quota.reserved != owed {
		leaked = append(leaked, fmt.Sprintf("%d are reserved and %d stamps wait", b.quota.reserved, owed))
	}
	if b.quota.spent != affixed {
		leaked = append(leaked, fmt.Sprintf("%d are spent and %d affixed", b.quota.spent, affixed))
	}
	p.addZeroCount("**quota leaked**", leaked)
	if b.open > 0 {
		unclosed = []string{fmt.Sprint(b.open)}
	}
	p.addZeroCount("attempts never closed", unclosed)
	return p
}
