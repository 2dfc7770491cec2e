package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"segel/scripts/running"
)

// How long the service may go without settling an order: longer than it leaves an order whose work was interrupted.
const stuck = 15 * time.Minute

// pollInterval is the interval between polls of the orders; perOrder is added for each order.
const pollInterval, perOrder = 2 * time.Second, 5 * time.Millisecond

// waitSettled waits until the service has finished the rest, undisturbed.
func (t *trial) waitSettled(ctx context.Context) error {
	began, last, told := time.Now(), time.Now(), 0
	for {
		left := 0
		for _, o := range t.orders {
			if o.isSettled() {
				continue
			}
			if err := t.client.readStatus(ctx, o); err != nil {
				return err
			}
			if !o.isSettled() {
				left++
			}
		}
		if left == 0 {
			fmt.Fprintf(os.Stderr, "all settled %s after the last kill\n", time.Since(began).Round(time.Second))
			return t.waitContended(ctx)
		}
		if left != told {
			last, told = time.Now(), left
			fmt.Fprintf(os.Stderr, "%s %d orders are not settled\n", last.UTC().Format(time.TimeOnly), left)
		}
		if time.Since(last) > stuck {
			return nil // the rest counts as lost
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollInterval + time.Duration(left)*perOrder):
		}
	}
}

// sample is how many files there are for each one that qpdf reads too.
const sample = 50

// checkResults stops the service, reads all records and files, and prints the table.
func (t *trial) checkResults(ctx context.Context) (resultTable, error) {
	var p resultTable
	for _, m := range moments {
		p.addFigure("killed "+string(m), "%d", t.deaths[m])
	}
	if t.options.office {
		p.addFigure("the office killed as well", "%d", t.offices)
	}
	for _, name := range slices.Sorted(maps.Keys(t.outageCounts)) {
		p.addFigure(name, "%d", t.outageCounts[name])
	}
	if t.outages > 0 {
		p.addFigure("killed during an outage", "%d", t.killedMeanwhile)
	}
	if t.options.nodes > 1 {
		t.history.addTo(&p)
	} else if t.outages > 0 {
		if t.noDisk != nil {
			p.addFigure("NOT TRIED: a full disk, because none can be mounted", "%v", t.noDisk)
		}
		t.prober.addFigures(&p)
	}
	var events resultTable
	if t.mutant != "naive" { // its fault is another one
		feed, err := t.waitDelivered(ctx)
		if err != nil {
			return nil, err
		}
		if err := t.waitMailed(ctx); err != nil {
			return nil, err
		}
		events = t.receiver.compareEvents(feed, t.orders)
	}
	files, err := t.downloadFiles(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range t.nodes {
		n.Stop()
	}
	journal, err := readJournal(t.their)
	if err != nil {
		return nil, err
	}
	b, err := readRecords(t.databaseAddress())
	if err != nil {
		return nil, err
	}
	others := maps.Clone(t.prober.ours)
	for _, o := range t.orders {
		if o.letter != nil {
			others[o.letter.id] = true
		}
	}
	for _, d := range t.contention.documents {
		others[d.id] = true
	}
	p = append(p, compareRecords(t.orders, others, journal, b)...)
	if t.options.nodes > 1 {
		t.contention.addTo(&p, b.signing.reserved, b.signing.spent)
	}
	p = append(p, events...)
	if t.mutant != "naive" {
		p = append(p, t.mails.compareMails(b.notices, t.orders, t.disturbances.copyTimes(), t.options.nodes > 1)...)
	}
	if t.options.nodes > 1 {
		p = append(p, t.slots.compareCalls(t.disturbances.copyTimes())...)
	}
	f, err := t.checkFiles(ctx, files, journal)
	if err != nil {
		return nil, err
	}
	p = append(p, f...)
	p.printTable(os.Stdout)
	if t.outages > 0 && t.options.nodes == 1 {
		t.prober.printTimes(os.Stdout)
	}
	return p, nil
}

// downloadFiles downloads the completed documents, by number.
func (t *trial) downloadFiles(ctx context.Context) (map[int64][]byte, error) {
	var completed []int64
	for _, o := range t.orders {
		if o.state == "completed" {
			completed = append(completed, o.id)
		}
	}
	for _, d := range t.contention.documents {
		if d.final.state == "completed" {
			completed = append(completed, d.id)
		}
	}
	all := map[int64][]byte{}
	for _, id := range completed {
		b, err := t.client.callOnce(ctx, running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "download/", id)})
		if err != nil {
			return nil, err
		}
		all[id] = b
	}
	return all, nil
}

// checkFiles checks every file.
func (t *trial) checkFiles(ctx context.Context, files map[int64][]byte, journal map[string]*officeSerial) (resultTable, error) {
	var p resultTable
	trust, err := t.readRoots(ctx)
	if err != nil {
		return nil, err
	}
	var bad, odd []string
	asked := map[string]int{}
	for i, o := range t.orders {
		file, ok := files[o.id]
		if !ok {
			continue
		}
		if err := checkFile(ctx, o, file, journal, trust); err != nil {
			bad = append(bad, fmt.Sprintf("document %d: %v", o.id, err))
		}
		for _, program := range []string{pdfsig, qpdf} {
			if program == qpdf && i%sample != 0 {
				continue
			}
			has, err := checkWithProgram(program, t.dir, file, len(o.places)+closing-1)
			if err != nil {
				odd = append(odd, fmt.Sprintf("document %d: %v", o.id, err))
			}
			if has {
				asked[program]++
			}
		}
	}
	for _, d := range t.contention.documents {
		if file, ok := files[d.id]; ok {
			if _, err := validateFile(ctx, file, len(d.final.signed), trust); err != nil {
				bad = append(bad, fmt.Sprintf("document %d: %v", d.id, err))
			}
		}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	p.addFigure("files validated; read by pdfsig; by qpdf", "%d; %d; %d", len(files), asked[pdfsig], asked[qpdf])
	slices.Sort(bad)
	p.addZeroCount("**files that are not valid, or not as ordered**", bad)
	p.addZeroCount("files that pdfsig or qpdf refuse", odd)
	var alarms []string
	for _, n := range t.nodes {
		of, err := alarmLines(n.Log)
		if err != nil {
			return nil, err
		}
		alarms = append(alarms, of...)
	}
	p.addZeroCount("alarms that the service raised", alarms)
	if t.options.nodes > 1 {
		findings, err := t.checkNodes(ctx)
		if err != nil {
			return nil, err
		}
		p.addZeroCount("**what fsck finds in database and bucket**", findings)
	}
	return p, nil
}
