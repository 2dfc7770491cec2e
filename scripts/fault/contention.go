package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"segel/pdf/pdftest"
	"segel/scripts/running"
)

// contention has clients act on one document at the same time through all nodes, while these are disturbed: two requests of its owner and one of another
// person sign it, the owner cancels some of the documents meanwhile, and two readers read it. What each was answered has to be linear: there is an order of
// all operations, in which each lies between its request and its answer, that explains every answer.
type contention struct {
	other     *client // of the second signer
	documents []*contendedDocument
}

// contendedDocument is one such document, and what was done to it.
type contendedDocument struct {
	id    int64
	began time.Time

	mu      sync.Mutex // guards history
	history []porcupine.Operation

	// What was read at the end.
	final documentRead
}

// The kinds of operations.
const (
	readDocument   = "read"
	signDocument   = "sign"
	cancelDocument = "cancel"
)

// documentOperation is the input of an operation. Signer is 0 for the owner and 1 for the other one.
type documentOperation struct {
	kind   string
	signer int
}

// documentAnswer is its output: the code of a refusal, empty if it was done, or what was read.
type documentAnswer struct {
	refused string
	read    documentRead
}

// documentRead is what the detail of a document says.
type documentRead struct {
	state   string
	signed  [2]bool
	version int64
}

// documentState is a state of the model. The seal, which is made afterwards, turns signed into completed.
type documentState struct {
	signed              [2]bool
	canceled, completed bool
	version             int64
}

// Codes of refusals.
const (
	codeBusy     = "document.busy"             // another request was faster
	codeStale    = "document.revision_changed" // the same
	codeSigned   = "document.already_signed"
	codeInactive = "document.not_processing"
	codeSealing  = "document.sealing"
)

// stepDocument returns the states that may follow an operation with that answer; none: the answer contradicts the state.
func stepDocument(state, input, output any) []any {
	s, in, out := state.(documentState), input.(documentOperation), output.(documentAnswer)
	full := s.signed == [2]bool{true, true}
	switch {
	case in.kind == readDocument:
		var all []any
		for _, completed := range []bool{s.completed, true} {
			n := s
			n.completed, n.version = completed, out.read.version
			if (n.completed == s.completed || full && !s.canceled) && n.name() == out.read.state && n.signed == out.read.signed && n.version >= s.version && !slices.Contains(all, any(n)) {
				all = append(all, n)
			}
		}
		return all
	case out.refused == codeBusy, out.refused == codeStale:
		return []any{s}
	case out.refused == codeInactive && (s.canceled || full), out.refused == codeSealing && full, out.refused == codeSigned && in.kind == signDocument && s.signed[in.signer]:
		return []any{s}
	case out.refused != "" || s.canceled || full:
		return nil
	case in.kind == cancelDocument:
		s.canceled = true
		return []any{s}
	case s.signed[in.signer]:
		return nil
	}
	s.signed[in.signer] = true
	return []any{s}
}

// name returns the state as the interface names it.
func (s documentState) name() string {
	switch {
	case s.canceled:
		return "canceled"
	case s.completed:
		return "completed"
	}
	return "processing"
}

var documentModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{documentState{}} },
	Step: stepDocument,
}

// isLinear reports whether the history of a document can be explained.
func isLinear(history []porcupine.Operation) bool {
	return porcupine.CheckOperations(documentModel.ToModel(), history)
}

// cancelEvery is the number of contended documents of which one is canceled as well.
const cancelEvery = 3

// openContention adds the second signer.
func (t *trial) openContention(ctx context.Context) error {
	const email = "rekan@example.test"
	file := filepath.Join(t.dir, "password")
	if err := os.WriteFile(file, []byte(running.Password), 0o600); err != nil {
		return err
	}
	if _, err := t.nodes[0].runCommand(ctx, "user", "add", "--email", email, "--name", "Rekan", "--password-file", file); err != nil {
		return err
	}
	t.contention.other = t.client.throughNode(0)
	return t.contention.other.waitLogin(ctx, email, running.Password)
}

// contend has clients contend for one document after the other until done is closed.
func (t *trial) contend(ctx context.Context, done <-chan struct{}) error {
	for n := 0; ; n++ {
		select {
		case <-done:
			return nil
		default:
		}
		d, err := t.sendContended(ctx)
		if err == nil {
			t.contention.documents = append(t.contention.documents, d)
			err = t.contendFor(ctx, d, n%cancelEvery == 0)
		}
		if err != nil {
			return fmt.Errorf("contend for a document: %w", err)
		}
	}
}

// sendContended sends a document that its owner and the other one sign in any order.
func (t *trial) sendContended(ctx context.Context) (*contendedDocument, error) {
	other := t.contention.other
	id, _, err := t.client.postUpload(ctx, "bersama.pdf", pdftest.PDFA(2), object{"parallel": 1, "guest": []object{}, "signer": []object{
		{"id": t.client.ID, "name": "Pemesan", "email": t.client.email, "role": "signer", "number": 1},
		{"id": other.ID, "name": "Rekan", "email": other.email, "role": "signer", "number": 2},
	}})
	if err != nil {
		return nil, err
	}
	_, err = t.client.postUntilAnswered(ctx, running.SignPath+"finalize-docs", object{"document_id": id}, nil)
	return &contendedDocument{id: id, began: time.Now()}, err
}

// contendFor has all clients act on the document at the same time, each beginning at another node, and waits until all were answered.
func (t *trial) contendFor(ctx context.Context, d *contendedDocument, canceled bool) error {
	acts := []documentOperation{{signDocument, 0}, {signDocument, 0}, {signDocument, 1}}
	if canceled {
		acts = append(acts, documentOperation{cancelDocument, 0})
	}
	var acting, reading sync.WaitGroup
	acted := make(chan struct{})
	failed := make(chan error, len(acts)+contendedReaders)
	for i, o := range acts {
		c := t.client
		if o.signer == 1 {
			c = t.contention.other
		}
		c = c.throughNode(i)
		acting.Go(func() {
			if err := d.act(ctx, c, o); err != nil {
				failed <- err
			}
		})
	}
	for i := range contendedReaders {
		c := t.client.throughNode(i)
		reading.Go(func() {
			if err := d.readMeanwhile(ctx, c, acted); err != nil {
				failed <- err
			}
		})
	}
	acting.Wait()
	close(acted)
	reading.Wait()
	close(failed)
	return <-failed
}

// contendedReaders is how many clients read a contended document.
const contendedReaders = 2

// throughNode returns the client whose first request goes to the n-th node after the first one.
func (c *client) throughNode(n int) *client {
	other := &client{Client: c.Client, email: c.email, urls: c.urls, leases: c.leases}
	other.turns.Store(uint64(n) - 1)
	return other
}

// act repeats the operation until it is done, or refused for another reason than that another request was faster. Each answer is one operation of the history.
func (d *contendedDocument) act(ctx context.Context, c *client, o documentOperation) error {
	for {
		code := ""
		began := time.Since(d.began)
		_, err := c.postUntilAnswered(ctx, running.SignPath+o.kind+"-docs", object{"document_id": d.id}, nil)
		if err != nil {
			if code = codeOf(err); code == "" {
				return err
			}
		}
		d.record(o, documentAnswer{refused: code}, began)
		if code != codeBusy && code != codeStale {
			return nil
		}
	}
}

// codeOf returns the code of a refusal because of the document's state; empty for any other error.
func codeOf(err error) string {
	var refused *running.Refusal
	var body struct{ Error struct{ Code string } }
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict || json.Unmarshal(refused.Text, &body) != nil {
		return ""
	}
	return body.Error.Code
}

// readMeanwhile reads the document until all others were answered, and then once more.
func (d *contendedDocument) readMeanwhile(ctx context.Context, c *client, acted <-chan struct{}) error {
	for last := false; ; {
		if _, err := d.read(ctx, c); err != nil || last {
			return err
		}
		next := time.NewTimer(pause) // polls, as clients do
		select {
		case <-next.C:
		case <-acted:
			next.Stop()
			last = true
		}
	}
}

// read reads the document once, through the next node that answers.
func (d *contendedDocument) read(ctx context.Context, c *client) (documentRead, error) {
	var a struct {
		Data struct {
			Status  string
			Version int64
			Signer  []struct {
				Email  string
				Signed bool `json:"signing_status"`
			}
		}
	}
	began := time.Since(d.began)
	if _, err := c.callUntilAnswered(ctx, running.Request{Method: "GET", Path: fmt.Sprint(running.DocumentPath, "detail/", d.id)}, &a); err != nil {
		return documentRead{}, err
	}
	if len(a.Data.Signer) != 2 {
		return documentRead{}, fmt.Errorf("document %d has %d signers", d.id, len(a.Data.Signer))
	}
	r := documentRead{state: a.Data.Status, version: a.Data.Version}
	for i, s := range a.Data.Signer { // by number
		r.signed[i] = s.Signed
	}
	d.record(documentOperation{kind: readDocument}, documentAnswer{read: r}, began)
	return r, nil
}

func (d *contendedDocument) record(o documentOperation, a documentAnswer, began time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.history = append(d.history, porcupine.Operation{Input: o, Output: a, Call: int64(began), Return: int64(time.Since(d.began))})
}

// waitContended reads each document until it is canceled or completed.
func (t *trial) waitContended(ctx context.Context) error {
	began := time.Now()
	for _, d := range t.contention.documents {
		for {
			var err error
			if d.final, err = d.read(ctx, t.client); err != nil {
				return err
			}
			if d.final.state != "processing" || time.Since(began) > stuck {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pollInterval):
			}
		}
	}
	return nil
}

// addTo adds the figures of the contention, and checks all histories. Spent is how many signatures the quota of the organisation has lost, and reserved
// how many it still keeps.
func (c *contention) addTo(p *resultTable, reserved, spent int) {
	operations, completed, canceled, signatures := 0, 0, 0, 0
	var wrong, open, leaked []string
	for _, d := range c.documents {
		operations += len(d.history)
		for _, signed := range d.final.signed {
			if signed {
				signatures++
			}
		}
		switch d.final.state {
		case "completed":
			completed++
		case "canceled":
			canceled++
		default:
			open = append(open, fmt.Sprintf("document %d is %s", d.id, d.final.state))
		}
		if !isLinear(d.history) {
			wrong = append(wrong, fmt.Sprintf("document %d: %s", d.id, describeHistory(d.history)))
		}
	}
	if reserved != 0 || spent != signatures {
		leaked = append(leaked, fmt.Sprintf("%d reserved, %d spent, and %d signatures were made", reserved, spent, signatures))
	}
	p.addFigure("documents for which clients contended through all nodes: completed; canceled; operations on them", "%d: %d; %d; %d", len(c.documents), completed, canceled, operations)
	p.addZeroCount("**histories of documents that no order of their operations explains**", wrong)
	p.addZeroCount("contended documents that are neither completed nor canceled", open)
	p.addZeroCount("**quota of signatures leaked**", leaked)
}

// describeHistory lists the operations in the order of their requests, with their times in milliseconds.
func describeHistory(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	var all []string
	for _, o := range history {
		in, out := o.Input.(documentOperation), o.Output.(documentAnswer)
		said := out.refused
		if in.kind == readDocument {
			said = fmt.Sprintf("%s %v version %d", out.read.state, out.read.signed, out.read.version)
		}
		all = append(all, fmt.Sprintf("%d-%d %s %d: %s", o.Call/1e6, o.Return/1e6, in.kind, in.signer, said))
	}
	return strings.Join(all, ", ")
}
