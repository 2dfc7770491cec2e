package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"segel/scripts/running"
)

// Stamping orders go to a stamp office in a separate process, in the cloud form. It answers each call after officeTime, and works
// on officeSlots documents at a time. One organisation finalizes all its orders at once; another one finalizes one order after the
// other meanwhile, and waits for each.
const (
	officeTime  = 15 * time.Millisecond
	officeSlots = 16
)

// measureStamps measures how many orders are completed a second, what one costs, and how long the other organisation waits.
func measureStamps(ctx context.Context, o options, dir string, env []string, on string) error {
	office, err := running.StartOffice(o.binary, filepath.Join(dir, "office"), filepath.Join(dir, "shared"))
	if err != nil {
		return err
	}
	defer office.Stop()
	proxy, err := running.NewOfficeProxy(office.URL)
	if err != nil {
		return err
	}
	defer proxy.Close()
	proxy.Answered = func(_ string, took time.Duration) { time.Sleep(officeTime - took) }
	env = append(env, "SEGEL_STAMP_OFFICE=cloud", "SEGEL_STAMP_LOGIN_URL="+proxy.URL, "SEGEL_STAMP_CLOUD_URL="+proxy.URL, "SEGEL_STAMP_NETWORKS=127.0.0.0/8",
		"SEGEL_STAMP_USER=user@office.test", "SEGEL_STAMP_PASSWORD=specimen", "SEGEL_STAMP_PICTURE_PATH=/snqr/qrimage?sn={serial}",
		fmt.Sprint("SEGEL_STAMP_SLOTS=", officeSlots), fmt.Sprint("SEGEL_MAX_JOBS=", officeSlots))
	l, err := startLoad(o, filepath.Join(dir, "data"), env)
	if err != nil {
		return err
	}
	defer l.Stop()
	other, err := l.AddPerson("PT Lain", "lain@example.test", "Orang Lain")
	if err != nil {
		return err
	}
	for organisation, orders := range map[string]int{"Segel": o.documents + 100, "PT Lain": o.documents + 100} {
		if err := l.Grant(l.Data, organisation, orders, orders); err != nil {
			return err
		}
	}
	fmt.Printf("%d stamping orders of %d KiB finalized at once by %d clients, on %s; the office answers after %v and works on %d documents at a time\n\n",
		o.documents, o.size>>10, o.clients, on, officeTime, officeSlots)
	orders := make([]document, o.documents)
	if _, err := l.runAll(ctx, []operation{{"upload and place", func(l *load, _ context.Context, d *document) error { return l.uploadOrder(l.owner, d) }}}, orders); err != nil {
		return err
	}
	profiled := l.startProfile(ctx)
	before, err := l.readCosts(ctx)
	if err != nil {
		return err
	}
	officeBefore, err := office.CPUTime()
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := l.runAll(ctx, []operation{{"finalize", (*load).finalize}}, orders); err != nil {
		return err
	}
	accepted := time.Since(began)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var waits []time.Duration
	var failed error
	var waiting sync.WaitGroup
	waiting.Go(func() { waits, failed = l.orderAlone(ctx, other) })
	err = l.waitAllCompleted(ctx)
	took := time.Since(began)
	cancel()
	waiting.Wait()
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	after, err := l.readCosts(context.Background())
	if err != nil {
		return err
	}
	officeAfter, err := office.CPUTime()
	if err != nil {
		return err
	}
	l.documents += len(waits) // which cost as much
	fmt.Println("| what | amount | from |\n|---|---|---|")
	fmt.Printf("| stamped and completed orders a second | %.1f | %d in %.1f s; accepted after %.1f s |\n", float64(l.documents)/took.Seconds(), l.documents, took.Seconds(), accepted.Seconds())
	l.printCosts("stamping order", after.minus(before))
	fmt.Printf("| processor time of the office and its proxy, of an order | %.1f ms | on the same machine |\n", (officeAfter-officeBefore).Seconds()*1000/float64(l.documents))
	if len(waits) > 0 {
		printTimes("order of another organisation meanwhile, finalize to completed", waits)
	}
	fmt.Printf("| peak of resident memory | %.0f MiB | since the start |\n", after.peak/(1<<20))
	return profiled()
}

// uploadOrder uploads a document without signers, and places a stamp on it.
func (l *load) uploadOrder(by *running.Client, d *document) (err error) {
	if d.id, err = by.Upload(running.Object{"document_title": "Beban", "filename": "beban.pdf", "document_base64": l.contract}); err != nil {
		return err
	}
	return by.Post(running.SignPath+"placement-docs", running.Object{"document_id": d.id, "signers": []running.Object{by.StampEntry(1, [4]int{30, 700, 100, 770})}}, nil)
}

// waitAllCompleted waits until the owner has no document in progress. It asks for the number of them, twice a second.
func (l *load) waitAllCompleted(ctx context.Context) error {
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for {
		var list struct {
			Data struct {
				Pagination struct {
					Total int `json:"total_data"`
				}
			}
		}
		l.waits.Add(1)
		if err := l.owner.Get(running.DocumentPath+"out?limit=1&status=processing", &list); err != nil {
			return err
		}
		if showProgress {
			fmt.Fprintf(os.Stderr, "\r%d in progress ", list.Data.Pagination.Total)
		}
		if list.Data.Pagination.Total == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// orderAlone orders one stamp after the other until the context ends, and returns how long each took.
func (l *load) orderAlone(ctx context.Context, by *running.Client) (waits []time.Duration, err error) {
	for ctx.Err() == nil {
		var d document
		if err := l.uploadOrder(by, &d); err != nil {
			return waits, err
		}
		began := time.Now()
		if err := by.PostVerb("finalize-docs", d.id); err != nil {
			return waits, err
		}
		if _, err := by.WaitCompleted(d.id); err != nil {
			return waits, err
		}
		waits = append(waits, time.Since(began))
	}
	return waits, nil
}
