package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"segel/internal/blob/s3/s3test"
	"segel/internal/store/storetest/pgtest"
	"segel/scripts/running"
)

// trial is a service of one node or several, an office and proxies between them, on a folder.
type trial struct {
	options
	data, their   string // folders of the service, if it is one node, and of the office
	dir           string
	random        *rand.Rand
	nodes         []*node
	office        *running.Program
	officeAddress string
	killer        *killer
	client        *client
	receiver      *receiver
	mails         *mailServer
	disturbances  disturbances
	orders        []*order
	acknowledge   atomic.Int64 // orders so far
	history       history      // of several nodes
	contention    contention   // the same
	slots         slotUse
	deaths        map[killMoment]int
	offices       int // times that the office was killed

	drawing         sync.Mutex // guards the two fields below
	chance          *rand.Rand // draws nodes
	acknowledgedIDs []int64    // documents of acknowledged orders

	server          *pgtest.Server // nil: SQLite, as are database and proxy
	database        string         // its address, bypassing the proxy
	proxy           *pgtest.Proxy  // of the only node
	bucket          *s3test.Server // nil: the files are in a folder
	masterKey       string         // of several nodes
	mounted         bool           // the data has a separate disk
	noDisk          error          // why it does not
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
		deaths: map[killMoment]int{}, outageCounts: map[string]int{}, office: &running.Program{},
	}
	opened := t // an error is returned with nil
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.close())
		}
	}()
	t.masterKey = running.NewMasterKey()
	t.random, t.chance = rand.New(rand.NewPCG(o.seed, 1)), rand.New(rand.NewPCG(o.seed, 4))
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
	at, err := running.FreeAddresses(1 + o.nodes)
	if err != nil {
		return nil, err
	}
	t.officeAddress = at[0]
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
	t.killer = &killer{draw: t.drawNode, killed: t.disturbances.addNow}
	t.mails.accepted = func() { t.killer.observeMoment(mailed, "", nil) }
	t.receiver.observe = func() { t.killer.observeMoment(notified, "", nil) }
	if err := t.openNodes(at[1:], shared, parts); err != nil {
		return nil, err
	}
	t.client = &client{Client: running.Client{URL: t.nodes[0].url}, leases: t.server != nil}
	if o.nodes > 1 {
		for _, n := range t.nodes {
			t.client.urls = append(t.client.urls, n.url)
		}
	}
	err = errors.Join(t.office.Start(), t.startNodes())
	if err == nil {
		err = t.nodes[0].Grant(t.nodes[0].data, "Segel", grantedStamps, grantedSignatures)
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
	var all []error
	for _, n := range t.nodes {
		all = append(all, n.close())
	}
	t.office.Stop()
	if t.receiver != nil {
		all = append(all, t.receiver.close())
	}
	if t.mails != nil {
		all = append(all, t.mails.close())
	}
	return errors.Join(append(all, t.closeParts())...)
}

// clients is the number of orders that are submitted concurrently.
const clients = 4

// submitAndKill submits all orders, and meanwhile kills the service and takes parts of it away.
func (t *trial) submitAndKill(ctx context.Context) error {
	email, password, err := t.nodes[0].FirstLogin()
	if err != nil {
		return err
	}
	if err := t.client.waitLogin(ctx, email, password); err != nil {
		return err
	}
	if err := t.addWebhook(ctx); err != nil {
		return err
	}
	t.prober = newProber(t.client, email, password)
	ctx, cancel := context.WithCancel(ctx)
	var observing sync.WaitGroup
	defer func() { cancel(); observing.Wait() }()
	kinds := t.outageKinds()
	submittedAll, contended := make(chan struct{}), make(chan error, 1)
	if t.options.nodes > 1 {
		if err := t.openContention(ctx); err != nil {
			return err
		}
		observing.Go(func() { t.history.observe(ctx, t) })
		observing.Go(func() { contended <- t.contend(ctx, submittedAll) })
		kinds = t.nodeOutages()
	} else {
		t.client.prober.Store(t.prober)
	}
	t.random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] }) // a short run takes others each time
	// Each life gets its share of the orders, so that some are left for the last one.
	shares := make(chan *order, len(t.orders))
	submitted := make(chan error, 1)
	go func() { submitted <- t.submitOrders(ctx, shares) }()
	given, kills := 0, 0
	for k, out := range t.planEvents() {
		for ; given < (k+1)*len(t.orders)/(t.kills+t.outages); given++ {
			shares <- t.orders[given]
		}
		if out >= 0 {
			run := t.runOutage
			if t.options.nodes > 1 {
				run = t.runNodeOutage
			}
			if err := run(ctx, kinds[out%len(kinds)]); err != nil {
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
	if err := t.startNodes(); err != nil {
		return err
	}
	err = <-submitted
	close(submittedAll)
	if err == nil && t.options.nodes > 1 {
		err = <-contended
	}
	return err
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

// runLife starts a node that does not run, if there is one, and kills one at a random moment. Of several nodes, the one killed before stays
// down in one life of three, so that the others do its work for longer.
func (t *trial) runLife(ctx context.Context, k int) error {
	a := drawShot(t.random, k)
	t.killer.armShot(a)
	if n := t.findDead(); n != nil && (len(t.nodes) == 1 || t.random.IntN(3) > 0 || t.drawNode() == nil) {
		listening, err := n.Launch()
		if err != nil {
			return err
		}
		if a.at != starting && a.at != anyTime {
			// A call of the previous life may still be in progress, and may be the planned moment.
			if err := listening(); err != nil && t.killer.isArmed() {
				return fmt.Errorf("start node %d again: %w; see %s", n.number, err, n.Log)
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

// findDead returns a node that does not run; nil if all run.
func (t *trial) findDead() *node {
	for _, n := range t.nodes {
		if n.PID() == 0 {
			return n
		}
	}
	return nil
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
				t.drawing.Lock()
				t.acknowledgedIDs = append(t.acknowledgedIDs, o.id)
				t.drawing.Unlock()
				t.killer.observeMoment(acknowledged, "", nil)
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
