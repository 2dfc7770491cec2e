package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// trial is a service, an office and a proxy between them, on a folder.
type trial struct {
	options
	data, their   string // folders of the service and of the office
	dir           string
	random        *rand.Rand
	service       *running.Program
	office        *running.Program
	killer        *killer
	proxyToOffice *running.OfficeProxy
	client        *client
	receiver      *receiver
	mails         *mailServer
	disturbances  disturbances
	orders        []*order
	acknowledge   atomic.Int64 // orders so far
	deaths        map[killMoment]int
	offices       int // times that the office was killed

	server          *pgtest.Server // nil: SQLite, as are database and proxy
	database        string         // its address, bypassing the proxy
	proxy           *pgtest.Proxy
	mounted         bool  // the data has a separate disk
	noDisk          error // why it does not
	prober          *prober
	outageCounts    map[string]int // outages, by name
	killedMeanwhile int            // outages during which the service was killed
}

// lose is the share of answers that the office loses, of the calls that cost money or cannot be undone.
const lose = 0.1

// openTrial starts all parts.
func openTrial(ctx context.Context, o options, dir string) (t *trial, err error) {
	t = &trial{
		options: o, dir: dir, data: filepath.Join(dir, "data"), their: filepath.Join(dir, "office"),
		deaths: map[killMoment]int{}, outageCounts: map[string]int{},
		service: &running.Program{}, office: &running.Program{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	t.random = rand.New(rand.NewPCG(o.seed, 1))
	draws := rand.New(rand.NewPCG(o.seed, 2))
	for n := range o.orders {
		t.orders = append(t.orders, drawOrder(draws, n))
	}
	shared := filepath.Join(dir, "shared")
	plan, err := json.Marshal(object{"seed": o.seed, "rules": []object{
		{"call": running.CallTake, "fault": "lost", "p": lose}, {"call": running.CallStamp, "fault": "lost", "p": lose},
	}})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(shared, 0o700), os.WriteFile(filepath.Join(dir, "faults.json"), plan, 0o600)); err != nil {
		return nil, err
	}
	parts, err := t.openParts(ctx)
	if err != nil {
		return nil, err
	}
	at, err := freeAddresses(2)
	if err != nil {
		return nil, err
	}
	if t.proxyToOffice, err = running.NewOfficeProxy("http://" + at[0]); err != nil {
		return nil, err
	}
	if t.receiver, err = startReceiver(o.seed); err != nil {
		return nil, err
	}
	if t.mails, err = startMailServer(o.seed); err != nil {
		return nil, err
	}
	t.office = &running.Program{
		Binary: o.binary, Log: filepath.Join(dir, "office.log"), Env: []string{"SEGEL_LOG_LEVEL=warn"},
		Args: []string{"office", "--listen", at[0], "--data", t.their, "--shared", shared, "--faults", filepath.Join(dir, "faults.json")},
	}
	t.service = &running.Program{
		Binary: o.binary, Log: filepath.Join(dir, "service.log"), Args: []string{"serve", "--data", t.data, "--listen", at[1]},
		Env: append(append(running.OfficeEnv(t.proxyToOffice.URL, shared, time.Second), "SEGEL_LOG_LEVEL=info", "SEGEL_CONVERT=off",
			"SEGEL_OUTBOUND_PRIVATE=127.0.0.0/8", fmt.Sprintf("SEGEL_OUTBOUND_PORTS=%d", t.receiver.port),
			"SEGEL_MAIL_SERVERS=smtp://"+t.mails.address+"?tls=none", "SEGEL_MAIL_FROM=segel@example.test", "SEGEL_MAIL_TIMEOUT=5s"), parts...),
	}
	t.killer = &killer{victim: t.service, killed: t.disturbances.addNow}
	t.mails.accepted = func() { t.killer.observeMoment(mailed, "") }
	t.receiver.observe = func() { t.killer.observeMoment(notified, "") }
	t.proxyToOffice.Asked = func(call string) { t.killer.observeMoment(asking, call) }
	t.proxyToOffice.Answered = func(call string, _ time.Duration) { t.killer.observeMoment(answered, call) }
	t.proxyToOffice.Delivered = func(call string) { t.killer.observeMoment(told, call) }
	t.client = &client{Client: running.Client{URL: "http://" + at[1]}}
	err = errors.Join(t.office.Start(), t.service.Start())
	if err == nil {
		err = t.service.Grant(t.data, "Segel", grantedStamps, grantedSignatures)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// What the organisation is granted: more than a trial uses.
const (
	grantedStamps     = 1_000_000
	grantedSignatures = 10_000
)

func (t *trial) close() error {
	t.service.Stop()
	t.office.Stop()
	if t.proxyToOffice != nil {
		t.proxyToOffice.Close()
	}
	var all []error
	if t.receiver != nil {
		all = append(all, t.receiver.close())
	}
	if t.mails != nil {
		all = append(all, t.mails.close())
	}
	return errors.Join(append(all, t.closeParts())...)
}

// freeAddresses returns unused addresses.
func freeAddresses(n int) ([]string, error) {
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all, nil
}

// clients is the number of orders that are submitted concurrently.
const clients = 4

// submitAndKill submits all orders, and meanwhile kills the service and takes parts of it away.
func (t *trial) submitAndKill(ctx context.Context) error {
	login, ok := t.service.FindOutput("first login: ")
	if !ok {
		return errors.New("the service told no first login")
	}
	var email, password string
	if _, err := fmt.Sscanf(login, "%s password: %s", &email, &password); err != nil {
		return fmt.Errorf("first login %q: %w", login, err)
	}
	email = strings.TrimSuffix(email, ",")
	if err := t.client.waitLogin(ctx, email, password); err != nil {
		return err
	}
	if err := t.addWebhook(ctx); err != nil {
		return err
	}
	t.prober = newProber(t.client, email, password)
	t.client.prober.Store(t.prober)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Each life gets its share of the orders, so that some are left for the last one.
	shares := make(chan *order, len(t.orders))
	submitted := make(chan error, 1)
	go func() { submitted <- t.submitOrders(ctx, shares) }()
	given, kills, kinds := 0, 0, t.outageKinds()
	for k, out := range t.planEvents() {
		for ; given < (k+1)*len(t.orders)/(t.kills+t.outages); given++ {
			shares <- t.orders[given]
		}
		if out >= 0 {
			if err := t.runOutage(ctx, kinds[out%len(kinds)]); err != nil {
				return err
			}
			continue
		}
		if err := t.runLife(ctx, kills); err != nil {
			return err
		}
		kills++
		t.printProgress(kills)
	}
	for ; given < len(t.orders); given++ {
		shares <- t.orders[given]
	}
	close(shares)
	if t.service.PID() == 0 {
		if err := t.service.Start(); err != nil {
			return err
		}
	}
	return <-submitted
}

// planEvents returns the sequence of events: the number of an outage, or -1 for a kill.
func (t *trial) planEvents() []int {
	all := make([]int, t.kills+t.outages)
	for i := range all {
		all[i] = max(i-t.kills, -1)
	}
	t.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// runLife starts the service unless it runs, and kills it at a random moment.
func (t *trial) runLife(ctx context.Context, k int) error {
	a := drawShot(t.random, k)
	t.killer.armShot(a)
	if t.service.PID() == 0 {
		listening, err := t.service.Launch()
		if err != nil {
			return err
		}
		if a.at != starting && a.at != anyTime {
			// A call of the previous life may still be in progress, and may be the planned moment.
			if err := listening(); err != nil && t.killer.isArmed() {
				return fmt.Errorf("start the service again: %w; see %s", err, t.service.Log)
			}
		}
	}
	if t.options.office && k%5 == 4 {
		t.office.Kill()
		if err := t.office.Start(); err != nil {
			return err
		}
		t.offices++
	}
	t.deaths[t.killer.waitForDeath()]++
	return ctx.Err()
}

// submitOrders submits the orders.
func (t *trial) submitOrders(ctx context.Context, shares <-chan *order) error {
	var all sync.WaitGroup
	failed := make(chan error, clients)
	for range clients {
		all.Go(func() {
			var open *letter // the last one, until it is canceled
			for o := range shares {
				err := t.client.submitOrder(ctx, o)
				if err == nil && o.letter != nil {
					err = errors.Join(t.client.cancelLetter(ctx, open), t.client.sendLetter(ctx, o.letter))
					open = o.letter
				}
				if err != nil {
					failed <- fmt.Errorf("submit an order: %w", err)
					return
				}
				t.acknowledge.Add(1)
				t.killer.observeMoment(acknowledged, "")
			}
			if err := t.client.cancelLetter(ctx, open); err != nil {
				failed <- fmt.Errorf("cancel a letter: %w", err)
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// printProgress prints the progress from time to time.
func (t *trial) printProgress(kills int) {
	if kills%20 == 0 {
		fmt.Fprintf(os.Stderr, "%s %d kills, %d orders acknowledged\n", time.Now().UTC().Format(time.TimeOnly), kills, t.acknowledge.Load())
	}
}
