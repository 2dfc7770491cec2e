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

// The stamp office of stamping orders answers each call officeTime after it has carried it out, and works on officeSlots documents at a time. One organisation finalizes all its orders at once; another one finalizes one order after the
// other meanwhile, and waits for each.
const (
	officeTime  = 15 * time.Millisecond
	officeSlots = 16
)

// memoryFolder is a file system in memory, where Linux has one.
const memoryFolder = "/dev/shm"

// cloudOffice is a stamp office in a separate process, in the cloud form. A real one does not share the processors and the disk of the service: this one keeps its
// files in memory, if it can, and waits by itself before it answers.
type cloudOffice struct {
	*running.Service
	dir string
}

// startOffice starts an office that answers each call so long after it has carried it out.
func (o options) startOffice(wait time.Duration) (office *cloudOffice, err error) {
	parent := memoryFolder
	if info, err := os.Stat(parent); err != nil || !info.IsDir() {
		parent = ""
	}
	dir, err := os.MkdirTemp(parent, "segel-office-")
	if err != nil {
		return nil, err
	}
	faults := filepath.Join(dir, "faults.json")
	rule := fmt.Sprintf(`{"rules": [{"fault": "late", "delay": %q}]}`, wait)
	err = os.WriteFile(faults, []byte(rule), 0o600)
	if err == nil {
		office = &cloudOffice{dir: dir}
		office.Service, err = running.StartOffice(o.binary, filepath.Join(dir, "office"), filepath.Join(dir, "shared"), "--faults", faults)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return office, nil
}

func (c *cloudOffice) stop() {
	c.Stop()
	_ = os.RemoveAll(c.dir)
}

// env returns the environment of a service that uses the office for so many documents at a time, with so many jobs.
func (c *cloudOffice) env(slots, jobs int) []string {
	return []string{"SEGEL_STAMP_OFFICE=cloud", "SEGEL_STAMP_LOGIN_URL=" + c.URL, "SEGEL_STAMP_CLOUD_URL=" + c.URL, "SEGEL_STAMP_NETWORKS=127.0.0.0/8",
		"SEGEL_STAMP_USER=user@office.test", "SEGEL_STAMP_PASSWORD=specimen", "SEGEL_STAMP_PICTURE_PATH=/snqr/qrimage?sn={serial}",
		fmt.Sprint("SEGEL_STAMP_SLOTS=", slots), fmt.Sprint("SEGEL_MAX_JOBS=", jobs)}
}

// measureStamps measures how many orders are completed a second, what one costs, and how long the other organisation waits.
func measureStamps(ctx context.Context, o options, dir string, env []string, on, evidence string) error {
	office, err := o.startOffice(officeTime)
	if err != nil {
		return err
	}
	defer office.stop()
	env = append(env, office.env(officeSlots, officeSlots)...)
	l, err := startLoad(o, filepath.Join(dir, "data"), append(env, "SEGEL_EVIDENCE="+evidence))
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
	fmt.Printf("%d stamping orders of %d KiB finalized at once by %d clients, on %s, SEGEL_EVIDENCE=%s; the office answers after %v and works on %d documents at a time\n\n",
		o.documents, o.size>>10, o.clients, on, evidence, officeTime, officeSlots)
	orders, others := make([]document, o.documents), make([]document, max(o.documents/10, 10))
	for by, documents := range map[*running.Client][]document{l.owner: orders, other: others} {
		if _, err := l.runAll(ctx, []operation{{"upload and place", func(l *load, _ context.Context, d *document) error { return l.uploadOrder(by, d) }}}, documents); err != nil {
			return err
		}
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
	clientsBefore := running.OwnCPUTime()
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
	waiting.Go(func() { waits, failed = l.orderAlone(ctx, other, others) })
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
	clients := running.OwnCPUTime() - clientsBefore
	l.documents += len(waits) // which cost as much
	fmt.Println("| what | amount | from |\n|---|---|---|")
	fmt.Printf("| stamped and completed orders a second | %.1f | %d in %.1f s; accepted after %.1f s |\n", float64(l.documents)/took.Seconds(), l.documents, took.Seconds(), accepted.Seconds())
	l.printCosts("stamping order", after.minus(before))
	fmt.Printf("| processor time of the office; of the clients, of an order | %.1f; %.1f ms | on the same machine |\n",
		(officeAfter-officeBefore).Seconds()*1000/float64(l.documents), clients.Seconds()*1000/float64(l.documents))
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

// orderAlone finalizes one order after the other until the context ends, waits for each, and returns how long each took.
func (l *load) orderAlone(ctx context.Context, by *running.Client, orders []document) (waits []time.Duration, err error) {
	for _, d := range orders {
		if ctx.Err() != nil {
			break
		}
		began := time.Now()
		if err := by.PostVerb("finalize-docs", d.id); err != nil {
			return waits, err
		}
		if err := by.FollowEvents(context.WithoutCancel(ctx), d.id, nil); err != nil {
			return waits, err
		}
		waits = append(waits, time.Since(began))
	}
	return waits, nil
}
