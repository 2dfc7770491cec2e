package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"segel/internal/authority"
	"segel/internal/blob/encrypted"
	"segel/internal/contract"
	"segel/internal/credential"
	"segel/internal/emeterai/sandbox"
	"segel/internal/identity"
	"segel/internal/notify/webhook"
	"segel/internal/sso"
	"segel/internal/store"
)

type masterKeyCommand struct {
	Status masterKeyStatusCommand `cmd:"" help:"Print which master keys are configured and in use, by identifier, and how many values each seals."`
	Rotate masterKeyRotateCommand `cmd:"" help:"Seal everything under the current master key that a former one sealed, read it all again, and record that the former one is not needed any more. Works beside running services, which have to use the current key. Repeat it if it was interrupted. Ends with 1 if it is not complete."`

	Backup  masterKeyBackupCommand  `cmd:"" help:"Write the master key and the keys of the authority, without the database, to a new file, encrypted with age, and check it."`
	Verify  masterKeyVerifyCommand  `cmd:"" help:"Decrypt a key backup and check that its master key opens the keys in it. Needs no installation."`
	Restore masterKeyRestoreCommand `cmd:"" help:"Restore the master key and the keys of the authority from a key backup where they are missing, for the database of the installation. Replaces nothing."`
}

// sealIDs returns what the value of a row is sealed for, by table.
var sealIDs = map[string]func(store.SealedValue) string{
	"credential":    func(v store.SealedValue) string { return v.Key },
	"authenticator": func(v store.SealedValue) string { return identity.AuthenticatorSealID(contract.PersonID(v.Key)) },
	"webhook":       func(v store.SealedValue) string { return webhook.SecretSealID(contract.WebhookID(v.Key)) },
	"sso":           func(v store.SealedValue) string { return sso.SecretSealID(contract.OrganisationID(v.Key)) },
	"tls_record":    func(v store.SealedValue) string { return tlsRecordID(v.Key) },
	"derived_key":   func(v store.SealedValue) string { return derivedID(v.Key) },
	"blob_key": func(v store.SealedValue) string {
		generation, _ := strconv.Atoi(v.About[0]) // another text does not open
		return encrypted.KeySealID(store.BlobKey{ID: v.Key, Generation: generation, Organisation: contract.OrganisationID(v.About[1])})
	},
}

// sealedBatch is how many values are read, and replaced in one transaction.
const sealedBatch = 100

// eachSealed calls do with each sealed value of the database, in batches of a column. A row without a value is left out.
func (a *app) eachSealed(ctx context.Context, do func(c store.SealedColumn, batch []store.SealedValue) error) error {
	for _, c := range a.store.SealedColumns() {
		for after := ""; ; {
			batch, err := a.store.SealedValues(ctx, c, after, sealedBatch)
			if err != nil {
				return err
			}
			if len(batch) == 0 {
				break
			}
			after = batch[len(batch)-1].Key
			filled := slices.DeleteFunc(batch, func(v store.SealedValue) bool { return len(v.Sealed) == 0 })
			if err := do(c, filled); err != nil {
				return err
			}
		}
	}
	return nil
}

// sealedCount says under which master keys values are sealed.
type sealedCount struct {
	Under  map[string]int // by identifier
	Closed []closedValue  // no key of the sealer opens them
}

// closedValue is a value that does not open.
type closedValue struct {
	Table string // of the database; empty: a file
	About string
}

func (c *sealedCount) total() (n int) {
	for _, under := range c.Under {
		n += under
	}
	return n
}

// closed describes the values that do not open.
func (c *sealedCount) closed() []string {
	all := []string{}
	for _, v := range c.Closed {
		all = append(all, v.About)
	}
	return all
}

// countSealed opens all sealed values with a sealer. TLS records that do not open are left out: they are made again.
func (a *app) countSealed(ctx context.Context, s *credential.Sealer, progress func(n int)) (*sealedCount, error) {
	count := &sealedCount{Under: map[string]int{}}
	err := a.eachSealed(ctx, func(c store.SealedColumn, batch []store.SealedValue) error {
		for _, v := range batch {
			_, under, err := s.OpenWithKey(sealIDs[c.Table](v), v.Sealed)
			switch {
			case err == nil:
				count.Under[under.String()]++
			case c.Table != tlsRecordTable:
				count.Closed = append(count.Closed, closedValue{c.Table, fmt.Sprintf("%s of %s %s", c.Column, c.Table, v.Key)})
			}
		}
		progress(count.total())
		return nil
	})
	if err != nil {
		return nil, err
	}
	names, err := authority.ListNames(ctx, a.keyFiles())
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		under, err := authority.SealedUnder(ctx, a.keyFiles(), name, s)
		if errors.Is(err, credential.ErrSealed) {
			count.Closed = append(count.Closed, closedValue{About: fmt.Sprintf("%s: %v", name, err)})
			continue
		}
		if err != nil {
			return nil, err
		}
		for id, n := range under {
			count.Under[id.String()] += n
		}
	}
	options := a.sandboxOptions(0)
	options.Sealer = s
	err = a.eachSandbox(ctx, options, func(_ string, o *sandbox.Office) error {
		under, ok, err := o.SealedUnder()
		if ok {
			count.Under[under.String()]++
		}
		return err
	})
	if err != nil { // a journal that cannot be read has no key
		count.Closed = append(count.Closed, closedValue{About: err.Error()})
	}
	return count, ctx.Err()
}

const tlsRecordTable = "tls_record"

// resealAll seals each value under the key that seals, if another one did. Values that do not open are left: countSealed finds them.
//
// Durable after each batch, and after each file of the authority: its values. A run that ended early is repeated, and finds the rest.
func (a *app) resealAll(ctx context.Context, progress func(n int)) (resealed int, err error) {
	names, err := authority.ListNames(ctx, a.keyFiles())
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		changed, err := authority.Reseal(ctx, a.keyFiles(), name, a.sealer)
		if errors.Is(err, credential.ErrSealed) || errors.Is(err, authority.ErrChanged) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return resealed, fmt.Errorf("seal the keys in %s anew: %w", name, err)
		}
		if changed {
			resealed++
		}
	}
	if err := a.resealSandboxes(ctx); err != nil && !errors.Is(err, credential.ErrSealed) {
		return resealed, err
	}
	err = a.eachSealed(ctx, func(c store.SealedColumn, batch []store.SealedValue) error {
		var anew []store.Resealed
		for _, v := range batch {
			id := sealIDs[c.Table](v)
			plain, under, err := a.sealer.OpenWithKey(id, v.Sealed)
			if err != nil || under == a.sealer.ID() {
				continue
			}
			sealed, err := a.sealer.Seal(id, plain)
			if err != nil {
				return err
			}
			anew = append(anew, store.Resealed{Key: v.Key, Old: v.Sealed, New: sealed})
		}
		if len(anew) == 0 {
			return nil
		}
		n, err := a.masterKeys.ReplaceSealed(ctx, c, anew, a.clock())
		resealed += n
		progress(resealed)
		return err
	})
	return resealed, err
}

type masterKeyRotateCommand struct {
	dataFlag
	JSON bool `name:"json" help:"Print the result as JSON."`
}

// rotation is what the command prints as JSON.
type rotation struct {
	Key      string   `json:"key"`      // that seals
	Resealed int      `json:"resealed"` // values and files of the authority, by this run
	Checked  int      `json:"checked"`  // values that the key alone opens
	Closed   []string `json:"closed"`   // values that it does not open
	Waiting  []string `json:"waiting"`  // processes that seal under another key
	Retired  int      `json:"retired"`  // former keys that are not needed any more, since this run
	Complete bool     `json:"complete"`
	Seconds  float64  `json:"seconds"`
}

// passes is how often values are sealed anew until the key alone opens all of them: a value may be added meanwhile.
const passes = 3

// Run seals everything under the current key.
//
// The order is: seal anew, read everything with the current key alone, check that no process seals under another key, and only then record that the
// former keys are not needed. A process that starts later under a former key alone is refused from the announcement of the current key on.
func (c masterKeyRotateCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		began, show := time.Now(), w.progressPrinter()
		r, err := a.rotateMasterKey(w.ctx, show)
		if err != nil {
			return err
		}
		r.Seconds = time.Since(began).Seconds()
		if err := c.printResult(w, r); err != nil {
			return err
		}
		if !r.Complete {
			return exitStatus(1)
		}
		return nil
	})
}

func (a *app) rotateMasterKey(ctx context.Context, show func(string, ...any)) (r rotation, err error) {
	r = rotation{Key: a.sealer.ID().String(), Closed: []string{}, Waiting: []string{}}
	configured, err := readMasterKey(ctx, a.conf)
	if err != nil {
		return r, err
	}
	if configured.ID() != a.sealer.ID() {
		return r, fmt.Errorf("%s is master key %s, but %s seals: start segel serve with it first. It takes the key into use", masterKeyOf(a.conf).Name(), configured.ID(), a.sealer.ID())
	}
	sealsElse := func(keys []string) bool { return len(keys) == 0 || keys[0] != r.Key }
	known, err := a.store.MasterKeys(ctx)
	if err != nil {
		return r, err
	}
	if len(known) == 0 { // nothing was ever exchanged
		r.Complete = true
		return r, nil
	}
	if r.Waiting, err = a.nodesWhere(ctx, sealsElse); err != nil {
		return r, err
	}
	for range passes {
		n, err := a.resealAll(ctx, func(n int) { show("%d values sealed anew", r.Resealed+n) })
		if r.Resealed += n; err != nil {
			return r, fmt.Errorf("after %d values that were sealed anew: %w", r.Resealed, err)
		}
		// The key alone: what opens now does not need any other.
		count, err := a.countSealed(ctx, a.sealer.Alone(), func(n int) { show("%d values opened with the current key alone", n) })
		if err != nil {
			return r, err
		}
		r.Checked, r.Closed = count.total(), count.closed()
		if len(r.Closed) == 0 || n == 0 {
			break
		}
	}
	if r.Waiting, err = a.nodesWhere(ctx, sealsElse); err != nil {
		return r, err
	}
	if len(r.Closed)+len(r.Waiting) > 0 {
		return r, nil
	}
	// The keys of the authority that were sealed anew have to be those that are used.
	if err := a.requireUsedKeys(ctx); err != nil {
		return r, err
	}
	// Durable with this commit: that the former keys are not needed. Until then every start asks for them.
	r.Retired, err = a.masterKeys.RetireMasterKeys(ctx, r.Key, a.clock())
	r.Complete = err == nil
	return r, err
}

func (c masterKeyRotateCommand) printResult(w *environment, r rotation) error {
	if r.Waiting == nil {
		r.Waiting = []string{}
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(r)
	}
	fmt.Fprintf(w.stdout, "%d values sealed anew; master key %s alone opens %d values\n", r.Resealed, r.Key, r.Checked)
	for _, v := range r.Closed {
		fmt.Fprintf(w.stdout, "does not open: %s\n", v)
	}
	for _, n := range r.Waiting {
		fmt.Fprintf(w.stdout, "%s seals under another key: restart it with %s as the current one\n", n, r.Key)
	}
	last := "the exchange is not complete: every process still needs both keys. Repeat the command when this is corrected\n"
	if r.Complete {
		last = "the exchange is complete: remove the settings SEGEL_FORMER_MASTER_KEY..., and keep the former key only with backups that were made before\n"
	}
	_, err := fmt.Fprint(w.stdout, last)
	return err
}

type masterKeyStatusCommand struct {
	dataFlag
	JSON bool `name:"json" help:"Print the result as JSON."`
}

// masterKeyStatus is a key as the command prints it as JSON.
type masterKeyStatus struct {
	Key        string `json:"key"`
	Configured bool   `json:"configured"`
	State      string `json:"state"` // seals, opens, announced, retired
	Values     int    `json:"values"`
}

// Run prints a line for each key.
func (c masterKeyStatusCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		all, closed, err := a.masterKeyStatus(w.ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(w.stdout).Encode(struct {
				Keys   []masterKeyStatus `json:"keys"`
				Closed []string          `json:"closed"`
			}{all, closed})
		}
		for _, k := range all {
			source := "not configured"
			if k.Configured {
				source = "configured"
			}
			fmt.Fprintf(w.stdout, "%s  %s, %s, %d values\n", k.Key, k.State, source, k.Values)
		}
		for _, v := range closed {
			fmt.Fprintf(w.stdout, "does not open: %s\n", v)
		}
		return nil
	})
}

// masterKeyStatus returns all keys that are known or configured, and the values that no configured one opens.
func (a *app) masterKeyStatus(ctx context.Context) (all []masterKeyStatus, closed []string, err error) {
	known, err := a.store.MasterKeys(ctx)
	if err != nil {
		return nil, nil, err
	}
	count, err := a.countSealed(ctx, a.sealer, func(int) {})
	if err != nil {
		return nil, nil, err
	}
	configured := a.masterKeyIDs()
	for _, k := range known {
		s := masterKeyStatus{Key: k.ID, Configured: slices.Contains(configured, k.ID), State: "opens", Values: count.Under[k.ID]}
		switch {
		case k.ID == configured[0]:
			s.State = "seals"
		case !k.RetiredAt.IsZero():
			s.State = "retired " + k.RetiredAt.UTC().Format(time.RFC3339)
		case k.UsedAt.IsZero():
			s.State = "announced"
		}
		all = append(all, s)
	}
	for i, id := range configured {
		if slices.ContainsFunc(known, func(k store.MasterKey) bool { return k.ID == id }) {
			continue
		}
		s := masterKeyStatus{Key: id, Configured: true, State: "opens", Values: count.Under[id]}
		if i == 0 {
			s.State = "seals"
		}
		all = append(all, s)
	}
	return all, count.closed(), nil
}
