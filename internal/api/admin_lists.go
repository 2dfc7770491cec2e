package api

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/store"
	"segel/internal/text"
	"segel/internal/workflow"
)

type stuckLine struct {
	Document     documentOut          `json:"document"`
	Organisation organisationOut      `json:"organisation"`
	Owner        string               `json:"owner" example:"Andi Wijaya"`
	Status       contract.State       `json:"status" example:"failed"`
	StatusInfo   string               `json:"status_info" example:"Gagal"`
	Step         contract.WaitingStep `json:"step" doc:"the step that makes no progress" enum:"converted,stamped,sealed" example:"stamped"`
	Reason       *string              `json:"reason" doc:"what it waits for or why it failed; null: not known"`
	Since        string               `json:"since" doc:"time of the last progress" example:"2024-10-14T06:06:00.000Z"`
	Attempts     int                  `json:"attempts" doc:"number of calls to the stamp office for the stamp that is due" example:"3"`
}

type adminStuckData struct {
	Documents  []stuckLine `json:"documents"`
	Clock      clockOut    `json:"clock"`
	Disk       diskOut     `json:"disk"`
	Pagination pagination  `json:"pagination"`
}

// diskOut is how much space is free for the data of the process that answers. Only operators see figures.
type diskOut struct {
	State contract.DiskState `json:"state" doc:"scarce: nothing is refused yet; low: new files are refused; full: nothing can be stored; empty: not known" enum:"fine,scarce,low,full," example:"fine"`
	Msg   *string            `json:"msg" doc:"what is wrong, and what to do; null: nothing" example:"Ruang penyimpanan layanan hampir habis."`
	Free  *int64             `json:"free_bytes" doc:"null for callers who are not operators" example:"10737418240"`
}

func (c *call) diskOf(f contract.DiskFinding) diskOut {
	out := diskOut{State: f.State, Msg: orNull(text.DiskProblem(c.language, f))}
	if c.by.Operator && f.State != "" {
		out.Free = &f.Free
	}
	return out
}

// clockOut is the result of comparing the service's clock. Only operators see the times.
type clockOut struct {
	State     contract.ClockState `json:"state" doc:"unless it is fine, nothing is signed, stamped or sealed" enum:"fine,disagrees,unconfirmed" example:"unconfirmed"`
	Msg       *string             `json:"msg" doc:"what is wrong, and what to do; null: nothing" example:"Peristiwa terakhir tercatat 6 jam di depan jam layanan."`
	Local     *string             `json:"local" doc:"the clock of the service; null for callers who are not operators" example:"2024-10-14T07:06:07.089Z"`
	Database  *string             `json:"database" doc:"the clock of the database; null: it has none, or the caller is not an operator" example:"2024-10-14T07:06:07.089Z"`
	LastEvent *string             `json:"last_event" doc:"the latest time in the audit log" example:"2024-10-14T13:06:07.089Z"`
	Timestamp *string             `json:"last_timestamp" doc:"the latest time of a timestamp in a document" example:"2024-10-14T13:06:07.000Z"`
}

func (c *call) clockOf(f contract.ClockFinding) clockOut {
	out := clockOut{State: f.State, Msg: orNull(text.ClockProblem(c.language, f))}
	if c.by.Operator {
		out.Local, out.Database, out.LastEvent, out.Timestamp = isoOrNull(f.Local), isoOrNull(f.Database), isoOrNull(f.LastEvent), isoOrNull(f.Timestamp.At)
	}
	return out
}

type sentDocument struct {
	Document     documentOut     `json:"document"`
	Organisation organisationOut `json:"organisation"`
	Owner        contactPerson   `json:"owner"`
	Status       contract.State  `json:"status" example:"processing"`
	StatusInfo   string          `json:"status_info" example:"Menunggu tanda tangan"`
	CreatedAt    string          `json:"created_at" example:"2024-10-14T06:06:00.000Z"`
	FinalizedAt  string          `json:"finalized_at" example:"2024-10-14T06:10:00.000Z"`
	EndedAt      *string         `json:"ended_at" doc:"null: it has not ended"`
	Expired      *string         `json:"expired" doc:"null: never"`
	Signer       []detailSigner  `json:"signer" doc:"participants by number"`
	Serials      []string        `json:"serial_number" doc:"of the duty stamps in the file"`
}

// contactPerson is a person with their address.
type contactPerson struct {
	Name  string `json:"name" example:"Andi Wijaya"`
	Email string `json:"email" example:"andi@contoh.id"`
}

type sentDocumentsData struct {
	Documents    []sentDocument `json:"documents"`
	TotalLimited bool           `json:"total_limited,omitempty" doc:"there may be more"`
	Pagination   pagination     `json:"pagination"`
}

// sentStates are the states of documents that were sent.
var sentStates = slices.DeleteFunc(slices.Clone(contract.States), func(s contract.State) bool { return s == contract.Draft })

func (q *query) parseSentQuery(p page) store.DocumentQuery {
	return store.DocumentQuery{
		Organisation: q.parseOrganisation(), State: parseChoice(q, "status", sentStates), Search: q.parseSearch(), Owner: q.parseText("owner"), Offset: p.skippedLines(), Limit: p.limit,
	}
}

func (c *call) sentDocumentsOf(p page, l workflow.SentPage) sentDocumentsData {
	return sentDocumentsData{TotalLimited: l.Limited, Pagination: paginate(p, l.Total, len(l.Lines)), Documents: convertAll(l.Lines, func(l workflow.WaitingLine) sentDocument {
		d := &l.Document
		return sentDocument{
			Document: documentOut{ID: d.ID, Name: &d.Name, Title: &d.Title, MayOpen: d.IsOpenTo(c.by)}, Organisation: organisationOf(l.Organisation),
			Owner: contactPerson{c.nameOf(d.Owner), d.Owner.Email}, Status: d.State, StatusInfo: c.statusInfo(d), CreatedAt: formatISO(d.CreatedAt), FinalizedAt: formatISO(d.FinalizedAt),
			EndedAt: isoOrNull(d.EndedAt), Expired: isoOrNull(d.ExpiresAt), Signer: detailSigners(d), Serials: d.Serials(),
		}
	})}
}

// stuckStatuses are the statuses by which documents without progress are selected.
var stuckStatuses = []contract.State{contract.Failed}

func (q *query) parseWaitingQuery(p page) store.WaitingQuery {
	failed := parseChoice(q, "status", stuckStatuses) == contract.Failed
	return store.WaitingQuery{
		Organisation: q.parseOrganisation(), Failed: failed, Step: parseChoice(q, "step", contract.WaitingSteps), Search: q.parseSearch(), Owner: q.parseText("owner"),
		Offset: p.skippedLines(), Limit: p.limit,
	}
}

func (c *call) stuckOf(p page, l workflow.WaitingPage) adminStuckData {
	return adminStuckData{Documents: convertAll(l.Lines, c.stuckLineOf), Clock: c.clockOf(l.Clock), Disk: c.diskOf(l.Disk), Pagination: paginate(p, l.Total, len(l.Lines))}
}

func (c *call) retryStuck() (done[verbData], error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return done[verbData]{}, err
	}
	return runDocumentOperation(c, id, nil, "done.retried", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Retry(ctx, c.by, id)
	})
}

// stuckLineOf builds the line of a document that waits, with the reason.
func (c *call) stuckLineOf(l workflow.WaitingLine) stuckLine {
	d := &l.Document
	line := stuckLine{
		Document: documentOut{ID: d.ID, Name: &d.Name, Title: &d.Title, MayOpen: d.IsOpenTo(c.by)}, Organisation: organisationOf(l.Organisation), Owner: c.nameOf(d.Owner), Status: d.State,
		StatusInfo: c.statusInfo(d), Step: d.WaitingStep(), Reason: orNull(text.Reason(c.language, d.Reason)), Since: formatISO(d.ProgressAt()),
	}
	if line.Step == contract.StepStamped {
		i := d.NextStamp()
		line.Attempts = d.Stamps[i].Attempts
		if p := d.Stamps[i].Problem; p != "" {
			p = text.Reason(c.language, p)
			line.Reason = &p
		}
	}
	return line
}

// endsSoon is how long before its expiry a certificate is marked: that of the first alert about one of the authority.
const endsSoon = 90 * 24 * time.Hour

var certificateStatuses = []contract.CertificateStatus{contract.CertificateValid, contract.CertificateEnded, contract.CertificateRevoked}

type certificateLine struct {
	Serial    string                     `json:"serial" doc:"hexadecimal" example:"5f0c9d2e4b7a"`
	Subject   string                     `json:"subject" example:"CN=Siti Rahma,O=PT Contoh"`
	Role      string                     `json:"role" doc:"the authority's own are root, issuing, tsa, ocsp, guest_issuing, guest_ocsp, contact_issuing and contact_ocsp; seal: of an organisation; person: of a signer" enum:"root,issuing,tsa,ocsp,guest_issuing,guest_ocsp,contact_issuing,contact_ocsp,seal,person" example:"person"`
	Status    contract.CertificateStatus `json:"standing" enum:"valid,ended,revoked" example:"valid"`
	IssuedAt  string                     `json:"issued_at" example:"2024-10-14T06:06:00.000Z"`
	NotAfter  string                     `json:"not_after" example:"2026-10-14T06:06:00.000Z"`
	EndsSoon  bool                       `json:"ends_soon" doc:"valid, and expires within 90 days"`
	RevokedAt *string                    `json:"revoked_at"`

	Assurance contract.Assurance `json:"assurance" doc:"what was verified about the holder: guest_unverified, guest_phone_code, guest_mailbox_code, account_password, organisation_seal or specimen; empty for the authority's own, and if it was not recorded" example:"account_password"`
	NamedBy   string             `json:"named_by" doc:"who entered the name of a guest" example:""`
}

type adminCertificatesData struct {
	Authority    []certificateLine `json:"authority" doc:"the authority's own that are in use, on every page"`
	Certificates []certificateLine `json:"certificates" doc:"the certificates that it issued"`
	Pagination   pagination        `json:"pagination" doc:"of certificates"`
}

func (q *query) parseCertificateQuery(p page) store.CertificateQuery {
	return store.CertificateQuery{
		Organisation: q.parseOrganisation(), Status: parseChoice(q, "standing", certificateStatuses), Now: q.now,
		Serial: strings.ToLower(contract.CleanText(q.Get("serial"))), Offset: p.skippedLines(), Limit: p.limit,
	}
}

func (c *call) certificatesOf(p page, l workflow.CertificatePage) adminCertificatesData {
	return adminCertificatesData{Authority: convertAll(l.Own, c.certificateOf), Certificates: convertAll(l.Lines, c.certificateOf), Pagination: paginate(p, l.Total, len(l.Lines))}
}

func (c *call) certificateOf(r workflow.CertificateLine) certificateLine {
	now := c.Clock()
	line := certificateLine{
		Serial: r.Serial, Subject: r.Subject, Role: r.Role, Status: r.Status(now),
		IssuedAt: formatISO(r.IssuedAt), NotAfter: formatISO(r.NotAfter), RevokedAt: isoOrNull(r.RevokedAt),
		Assurance: r.Assurance, NamedBy: r.NamedBy,
	}
	line.EndsSoon = line.Status == contract.CertificateValid && r.NotAfter.Before(now.Add(endsSoon))
	return line
}

// logLine is an event of the audit log with the document it is about.
type logLine struct {
	Number      int64              `json:"number" doc:"in the Merkle log, from 0" example:"2310"`
	DateTime    string             `json:"dateTime" example:"2024-10-14T06:06:00.000Z"`
	Name        string             `json:"name" doc:"who; the service itself has a name too" example:"Siti Rahma"`
	IPAddress   string             `json:"ipAddress" doc:"empty for the service itself" example:"203.0.113.7"`
	Description string             `json:"description" example:"Menandatangani dokumen"`
	Type        contract.EventType `json:"type" doc:"stable, for programs" example:"signed"`
	Document    maybe[documentOut] `json:"document" doc:"null: about no document"`
}

type adminAuditLogData struct {
	Events     []logLine  `json:"events"`
	Types      []choice   `json:"types" doc:"the values that can be chosen"`
	Pagination pagination `json:"pagination" doc:"with a filter, events are counted up to 10,000"`
}

func logParams() []*huma.Param {
	return []*huma.Param{
		documentParam(), {Name: "type", In: "query", Description: "Only events of this type.", Schema: textSchema()},
		{Name: "person", In: "query", Description: "Only events of this person: a UUID, or the e-mail that they had then.", Schema: textSchema()},
		timeParam("from", "Only events at this time or later; ISO 8601 with a zone."),
		timeParam("until", "Only events before this time; ISO 8601 with a zone."),
	}
}

func (q *query) parseLogQuery(p page) store.LogQuery {
	r := q.parseLogFilters()
	r.Offset, r.Limit = p.skippedLines(), p.limit
	return r
}

// parsePerson reads the person that a list is about: a UUID, or an e-mail.
func (q *query) parsePerson() (id contract.PersonID, email string) {
	person := contract.CleanText(q.Get("person"))
	if strings.Contains(person, "@") {
		return "", person
	}
	return parsePersonID(person), ""
}

// parseLogFilters reads the query for events.
func (q *query) parseLogFilters() store.LogQuery {
	r := store.LogQuery{
		Organisation: q.parseOrganisation(), Document: q.parseDocument(), Type: parseChoice(q, "type", contract.EventTypes),
		From: q.parseTime("from"), Until: q.parseTime("until"),
	}
	r.Person, r.Email = q.parsePerson()
	return r
}

// auditLogCSV streams the events, which may be millions.
func (c *call) auditLogCSV() error {
	q := c.parseQuery()
	c.chooseLanguage(q)
	r := q.parseLogFilters()
	if err := q.bad.asError(); err != nil {
		return err
	}
	newEvents := func(w io.Writer) *export.Events {
		return export.NewEvents(w, func(e contract.Event) string { return text.Event(c.language, e) })
	}
	return streamCSV(c, "segel-audit-log.csv", newEvents, func(write func(workflow.LogLine) error) error {
		return c.Workflow.EachEvent(c.r.Context(), c.by, r, write)
	})
}

func (c *call) logLineOf(e workflow.LogLine) logLine {
	return logLine{
		Number: e.Leaf, DateTime: formatISO(e.At), Name: c.nameOf(e.Person), IPAddress: e.IP,
		Description: text.Event(c.language, e.Event), Type: e.Type, Document: documentOrNull(e.Event.Document, e.Title),
	}
}

func (c *call) auditLogOf(p page, l workflow.LogPage) adminAuditLogData {
	return adminAuditLogData{
		Events:     convertAll(l.Lines, c.logLineOf),
		Types:      convertAll(contract.EventTypes, func(t contract.EventType) choice { return choice{text.EventType(c.language, t), string(t)} }),
		Pagination: paginate(p, l.Total, len(l.Lines)),
	}
}
