package authority

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"segel/internal/credential"
)

// part is a part of the authority whose keys get successors: an issuer with its OCSP responder (RFC 6960 §4.2.2.2: the issuer itself
// certifies it), or the time-stamp authority. Each generation of its keys has certificates with other names, is in one file, and is
// never changed. Generations are numbered from 1.
type part struct {
	name       string // of files, of members, and in URLs, which are in certificates permanently
	subject    string // of the certificate
	responder  string // subject of the OCSP responder's certificate; empty for the time-stamp authority
	role       string // of the two certificates, for administrators
	ocspRole   string
	assurances []Assurance // of the certificates that it issues
}

// issuingName names the issuer for accounts in URLs.
const issuingName = "issuing"

// Indexes of parts.
const (
	accountIssuer = iota
	guestIssuer
	contactIssuer
	timeStamping
	partCount
)

// parts lists what gets successors. An issuing certificate names its policies, so an assurance that is added later needs an issuer that is
// added here; what exists is not changed.
var parts = [partCount]part{
	accountIssuer: {issuingName, "Issuing", "OCSP Responder", "issuing", "ocsp", []Assurance{Account, Seal, Specimen}},
	guestIssuer:   {"guests", "Guests", "Guests OCSP Responder", "guest_issuing", "guest_ocsp", []Assurance{Guest}},
	contactIssuer: {"contacts", "Guests with Contact", "Guests with Contact OCSP Responder", "contact_issuing", "contact_ocsp", []Assurance{GuestPhone, GuestMailbox}},
	timeStamping:  {"tsa", "Time-Stamp Authority", "", "tsa", "", nil},
}

// generation is one generation of the keys of a part.
type generation struct {
	name string   // in the URLs of the certificate and the CRL
	id   identity // with the issuing certificate, or that of the time-stamp authority
	ocsp identity // of an issuer
}

func (p part) isIssuer() bool { return p.responder != "" }

// numbered returns the name of generation n.
func (p part) numbered(n int) string {
	if n == 1 {
		return p.name
	}
	return fmt.Sprintf("%s-%d", p.name, n)
}

// file returns the name of the file with generation n. The first file has that of the issuer for accounts and the time-stamp authority.
func (p part) file(n int) string {
	if n == 1 && p.isFirst() {
		return authorityFile
	}
	return p.numbered(n) + ".json"
}

// isFirst reports whether generation 1 was created with the root.
func (p part) isFirst() bool { return p.name == issuingName || !p.isIssuer() }

// memberNames returns the names of the members of generation n in its file. Keys are sealed under them.
func (p part) memberNames(n int) (id, ocsp string) {
	switch name := p.numbered(n); {
	case !p.isIssuer():
		return name, ""
	case n == 1 && p.isFirst():
		return "issuing", "ocsp"
	default:
		return name + "-issuing", name + "-ocsp"
	}
}

// listMembers returns the members of generation n by their names.
func (p part) listMembers(n int, g *generation) map[string]*identity {
	id, ocsp := p.memberNames(n)
	if ocsp == "" {
		return map[string]*identity{id: &g.id}
	}
	return map[string]*identity{id: &g.id, ocsp: &g.ocsp}
}

// create creates generation n below a root, with the root's mark in its names.
func (p part) create(n int, root identity, urls urlBuilder, now time.Time) (generation, error) {
	begin := now.Add(-time.Hour) // clocks of readers may be behind ours
	if begin.Before(root.cert.NotBefore) {
		begin = root.cert.NotBefore
	}
	end := endOfSuccessor(root, now)
	mark := strings.TrimPrefix(root.cert.Subject.CommonName, "Segel Root ")
	if n > 1 {
		mark = fmt.Sprintf("%d %s", n, mark)
	}
	g := generation{name: p.numbered(n)}
	var err error
	if !p.isIssuer() {
		g.id, err = newTSAIdentity(nameOf(p.subject, mark), urls, begin, end, &root)
		return g, err
	}
	if g.id, err = newIssuingIdentity(nameOf(p.subject, mark), urls, begin, end, &root, p.assurances...); err != nil {
		return g, err
	}
	g.ocsp, err = newOCSPIdentity(nameOf(p.responder, mark), begin, end, &g.id)
	return g, err
}

// open opens generation n from the content of its file.
func (p part) open(in storedFile, n int, root *x509.Certificate, s *credential.Sealer) (generation, error) {
	g := generation{name: p.numbered(n)}
	for name, id := range p.listMembers(n, &g) {
		var err error
		if *id, err = in.Members[name].openMember(name, s); err != nil {
			return g, err
		}
	}
	if err := p.check(n, g.id.cert, root); err != nil {
		return g, err
	}
	if p.isIssuer() {
		if err := g.ocsp.cert.CheckSignatureFrom(g.id.cert); err != nil {
			_, name := p.memberNames(n)
			return g, fmt.Errorf("certificate of the authority's %s: %w", name, err)
		}
	}
	return g, nil
}

// check refuses a certificate that this root did not sign, or that permits other policies than those of the issuer.
func (p part) check(n int, c, root *x509.Certificate) error {
	name, _ := p.memberNames(n)
	if err := c.CheckSignatureFrom(root); err != nil {
		return fmt.Errorf("certificate of the authority's %s: %w", name, err)
	}
	// The first issuing certificates were created before certificates stated policies.
	if first := n == 1 && p.isFirst(); p.isIssuer() && !first && !hasOnlyPolicies(c, p.assurances...) {
		return fmt.Errorf("certificate of the authority's %s has other policies than its own", name)
	}
	return nil
}

func (p part) describe(n int, c *x509.Certificate) Issuer {
	return Issuer{Certificate: c, Assurances: slices.Clone(p.assurances), Earlier: n == 1 && p.isFirst()}
}

// current returns the generation with which a part signs at a time: the last one that is valid. One that was created
// while the clock was ahead is not used before it is valid. If none is valid, it is the last that was, or the first; its use is refused.
func (k *keySet) current(part int, at time.Time) generation {
	all := k.parts[part]
	for _, g := range slices.Backward(all) {
		if requireValid(at, g.id) == nil {
			return g
		}
	}
	for _, g := range slices.Backward(all) {
		if !at.Before(g.id.cert.NotBefore) {
			return g
		}
	}
	return all[0]
}

const (
	// minRemaining is the validity that a certificate with a key in use must have left. Longer than the validity of the certificates
	// that an issuer signs, so that none is cut short, and by a year, so that their status is stated long after they have expired.
	// Longer than the notice with which documents are renewed, so that a renewal gains time.
	minRemaining = (personYears + 1) * 365 * 24 * time.Hour
	// minExtension is how much longer a successor must be valid. It cannot outlast the root.
	minExtension = 365 * 24 * time.Hour
)

// endOfSuccessor returns when the certificate of a successor that is created now expires.
func endOfSuccessor(root identity, now time.Time) time.Time {
	end := now.AddDate(partYears, 0, 0)
	if last := root.cert.NotAfter; end.After(last) {
		return last
	}
	return end
}

// needsSuccessor reports whether a part has no valid certificate, or one that is about to expire and can be replaced by one that lasts longer.
func (k *keySet) needsSuccessor(part int, now time.Time) bool {
	if requireValid(now, k.root) != nil {
		return false
	}
	c := k.current(part, now).id.cert
	if now.Before(c.NotBefore) {
		return true
	}
	return c.NotAfter.Sub(now) <= minRemaining && endOfSuccessor(k.root, now).Sub(c.NotAfter) >= minExtension
}

// with returns the keys with another generation of a part.
func (k *keySet) with(part int, g generation) *keySet {
	next := *k
	next.parts[part] = append(slices.Clip(k.parts[part]), g)
	return &next
}

// Succeed reads what other processes have created, and then creates what is due: the issuers of guests' certificates in an installation
// from before them, and the successor of each part whose certificate is about to expire. What the former keys issued is not affected:
// they go on to state its status until they expire. [Options.Created] is told of the new certificates.
//
// A file is durable before its keys are used. If several processes create one at once, the first wins, and all use it. A crash leaves
// all of it or nothing; the next call creates it. One that was created while the clock was ahead is used once it is valid; until then
// another is created beside it if necessary.
func (a *Authority) Succeed(ctx context.Context) error {
	if a.files == nil {
		return nil
	}
	a.changing.Lock()
	defer a.changing.Unlock()
	for i, p := range parts {
		for {
			if err := a.readPart(ctx, i); err != nil {
				return err
			}
			k, now := a.keys(), a.clock()
			n := len(k.parts[i]) + 1
			if n > 1 && !k.needsSuccessor(i, now) {
				break
			}
			g, err := p.create(n, k.root, a.urls, now)
			if err != nil {
				return fmt.Errorf("create %s: %w", p.numbered(n), err)
			}
			first, err := storeMembers(ctx, a.files, p.file(n), a.sealer, p.listMembers(n, &g))
			if err != nil {
				return fmt.Errorf("create %s: %w", p.numbered(n), err)
			}
			// Durable: the file, ours or that of another process. If we crash here, the next call reads it.
			if first && a.created != nil {
				for _, c := range p.own(g) {
					a.created(c)
				}
			}
		}
	}
	return nil
}

// Refresh reads the successors that other processes have created since.
func (a *Authority) Refresh(ctx context.Context) error {
	if a.files == nil {
		return nil
	}
	a.changing.Lock()
	defer a.changing.Unlock()
	for i := range parts {
		if err := a.readPart(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// readPart reads the generations of a part that have not been read yet. The caller holds changing.
func (a *Authority) readPart(ctx context.Context, part int) error {
	p := parts[part]
	for {
		k := a.keys()
		n := len(k.parts[part]) + 1
		b, err := a.files.ReadFile(ctx, p.file(n))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", p.file(n), err)
		}
		in, err := parseStored(b, p.file(n))
		if err != nil {
			return err
		}
		g, err := p.open(in, n, k.root.cert, a.sealer)
		if err != nil {
			return err
		}
		a.current.Store(k.with(part, g))
	}
}

// requireParts returns ErrMissing if a part has no keys.
func (k *keySet) requireParts() error {
	for i, p := range parts {
		if len(k.parts[i]) == 0 {
			return fmt.Errorf("%w: %s", ErrMissing, p.file(1))
		}
	}
	return nil
}

// missGap is the least time between two looks at the files for what does not exist: anyone may ask for it.
const missGap = time.Second

// refreshAfterMiss looks for successors after a request that concerns no known key: another process may have created one a moment
// ago. It reports whether there are any. Requests for what never existed cost a look at the files once a second.
func (a *Authority) refreshAfterMiss(ctx context.Context) bool {
	now := a.clock()
	a.mu.Lock()
	wait := a.missedAt.Add(missGap).After(now) && !now.Before(a.missedAt) // the clock may have been set back
	if !wait {
		a.missedAt = now
	}
	a.mu.Unlock()
	if wait {
		return false
	}
	before := a.keys()
	// A file that cannot be read leaves the request what it is: a miss. Followers report the error.
	return a.Refresh(ctx) == nil && a.keys() != before
}

// own returns the certificates of a generation with their roles.
func (p part) own(g generation) []OwnCertificate {
	all := []OwnCertificate{{p.role, g.id.cert}}
	if p.isIssuer() {
		all = append(all, OwnCertificate{p.ocspRole, g.ocsp.cert})
	}
	return all
}

// listIssuers returns the issuers of the certificates in the ledger, all generations.
func (k *keySet) listIssuers() []generation {
	var all []generation
	for i, p := range parts {
		if p.isIssuer() {
			all = append(all, k.parts[i]...)
		}
	}
	return all
}

// partOf returns the index of the issuer for an assurance: guests have separate ones.
func partOf(x Assurance) int {
	for i, p := range parts {
		if slices.Contains(p.assurances, x) {
			return i
		}
	}
	return accountIssuer
}

// firstMembers returns the members of authority.json by their names.
func (k *keySet) firstMembers() map[string]*identity {
	all := map[string]*identity{"root": &k.root}
	for i, p := range parts {
		if p.isFirst() {
			maps.Copy(all, p.listMembers(1, &k.parts[i][0]))
		}
	}
	return all
}
