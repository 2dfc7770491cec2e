package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"time"
)

// How long the service may go without settling a single order: beyond the longest that it leaves an order whose work
// was cut off.
const stuck = 15 * time.Minute

// lookEvery is how often it is asked how the orders are doing, the more seldom the more there are.
const lookEvery, perOrder = 2 * time.Second, 5 * time.Millisecond

// settle lets the service work off what is left, undisturbed.
func (t *trial) settle(ctx context.Context) error {
	began, last, told := time.Now(), time.Now(), 0
	for {
		left := 0
		for _, o := range t.orders {
			if o.settled() {
				continue
			}
			if err := t.client.look(ctx, o); err != nil {
				return err
			}
			if !o.settled() {
				left++
			}
		}
		if left == 0 {
			fmt.Fprintf(os.Stderr, "all settled %s after the last kill\n", time.Since(began).Round(time.Second))
			return nil
		}
		if left != told {
			last, told = time.Now(), left
			fmt.Fprintf(os.Stderr, "%s %d orders are not settled\n", last.UTC().Format(time.TimeOnly), left)
		}
		if time.Since(last) > stuck {
			return nil // what is left counts as lost
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery + time.Duration(left)*perOrder):
		}
	}
}

// sample is one in how many files qpdf reads too.
const sample = 50

// prove stops the service, reads all books and files, and prints the table.
func (t *trial) prove(ctx context.Context) (proof, error) {
	var p proof
	for _, m := range moments {
		p.tell("killed "+string(m), "%d", t.deaths[m])
	}
	if t.options.office {
		p.tell("the office killed as well", "%d", t.offices)
	}
	for _, name := range sortedKeys(t.suffered) {
		p.tell(name, "%d", t.suffered[name])
	}
	if t.outages > 0 {
		p.tell("killed during an outage", "%d", t.killedMeanwhile)
		if t.noDisk != nil {
			p.tell("NOT TRIED: a full disk, because none can be mounted", "%v", t.noDisk)
		}
		t.prober.tell(&p)
	}
	files, err := t.files(ctx)
	if err != nil {
		return nil, err
	}
	t.service.Stop()
	journal, err := readJournal(t.their)
	if err != nil {
		return nil, err
	}
	b, err := readBooks(t.books())
	if err != nil {
		return nil, err
	}
	p = append(p, account(t.orders, t.prober.ours, journal, b)...)
	f, err := t.judge(ctx, files, journal)
	if err != nil {
		return nil, err
	}
	p = append(p, f...)
	p.print(os.Stdout)
	if t.outages > 0 {
		t.prober.print(os.Stdout)
	}
	return p, nil
}

// files downloads what was completed, by number of the document.
func (t *trial) files(ctx context.Context) (map[int64][]byte, error) {
	all := map[int64][]byte{}
	for _, o := range t.orders {
		if o.state != "completed" {
			continue
		}
		b, err := t.client.ask(ctx, "GET", fmt.Sprint(documentPath, "download/", o.id), "", nil)
		if err != nil {
			return nil, err
		}
		all[o.id] = b
	}
	return all, nil
}

// judge checks every file.
func (t *trial) judge(ctx context.Context, files map[int64][]byte, journal map[string]*issued) (proof, error) {
	var p proof
	trust, err := roots(t.data, t.their)
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
			has, err := byOthers(program, t.dir, file, len(o.places)+closing-1)
			if err != nil {
				odd = append(odd, fmt.Sprintf("document %d: %v", o.id, err))
			}
			if has {
				asked[program]++
			}
		}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	p.tell("files validated; read by pdfsig; by qpdf", "%d; %d; %d", len(files), asked[pdfsig], asked[qpdf])
	sort.Strings(bad)
	p.zero("**files that are not valid, or not as ordered**", bad)
	p.zero("files that pdfsig or qpdf refuse", odd)
	alarms, err := alarmed(t.service.Log)
	if err != nil {
		return nil, err
	}
	p.zero("alarms that the service raised", alarms)
	return p, nil
}
