package api

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"segel/internal/contract"
	"segel/internal/export"
	"segel/internal/store"
	"segel/internal/text"
)

type detailData struct {
	ID                   contract.DocumentID `json:"id" example:"1207"`
	DocumentTitle        string              `json:"document_title" example:"Perjanjian Sewa"`
	DocumentName         string              `json:"document_name" example:"sewa-1728885960123-4VnJ2xQpR7sTyWbCdEfGh8"`
	Status               contract.State      `json:"status" example:"processing"`
	Expired              *string             `json:"expired" doc:"ISO 8601, null for never"`
	IsExpired            string              `json:"is_expired" enum:"0,1" example:"0"`
	SigningStatus        contract.State      `json:"signing_status" doc:"status of the signatures and approvals alone" example:"processing"`
	Description          string              `json:"description" example:"Dokumen menunggu tanda tangan"`
	CreateAt             string              `json:"createAt" example:"2024-10-14T06:06:00.000Z"`
	IsParallel           bool                `json:"is_parallel"`
	IsOwner              bool                `json:"is_owner" doc:"the caller owns it"`
	IsPaid               bool                `json:"is_paid" doc:"all quota that it needs is reserved or spent"`
	IsSign               bool                `json:"is_sign" doc:"it is the caller's turn to sign"`
	IsApprove            bool                `json:"is_approve" doc:"it is the caller's turn to approve"`
	Owner                detailOwner         `json:"owner"`
	Participant          maybe[detailPart]   `json:"participant" doc:"the caller's own part; null if they are no participant"`
	Signer               []detailSigner      `json:"signer" doc:"participants by number"`
	DataToken            dataToken           `json:"data_token"`
	InfoRestamping       infoRestamping      `json:"info_restamping"`
	LastSignedAt         *string             `json:"last_signed_at" doc:"time of the last signature or stamp"`
	StatusInfo           string              `json:"status_info" example:"Menunggu tanda tangan"`
	ActiveDownloadButton bool                `json:"active_download_button"`
	SerialNumber         []string            `json:"serial_number" doc:"of the duty stamps in the file"`
	Specimen             bool                `json:"specimen" doc:"stamped by the sandbox office: without legal value"`
	Template             bool                `json:"template,omitempty" doc:"a prepared document that is never sent: use-template-docs makes drafts from it"`
	Team                 *teamOut            `json:"team,omitempty" doc:"with which the document is shared; for its owner and the members of the team"`
	ManagedByTeam        bool                `json:"may_manage,omitempty" doc:"as a member of the team, the caller may act for the owner"`
	Test                 bool                `json:"test" doc:"made with a test key: a specimen, without quota"`
	Version              int64               `json:"version" doc:"rises with every change; a change of a draft may name the version it was made from" example:"4"`
	Mode                 contract.Mode       `json:"mode,omitempty" doc:"missing for a draft" enum:"signing,stamping" example:"signing"`
	Progress             progress            `json:"progress"`
	Placements           []placementItem     `json:"placements" doc:"the boxes of all people, in the order in which they were placed"`
	Code                 *guestCheck         `json:"code,omitempty" doc:"for a guest who has to enter a code that is sent to them"`
	AccountOffer         *accountOffer       `json:"account_offer,omitempty" doc:"for a guest who verified their mailbox and can create an account now"`
	MayDelegate          bool                `json:"may_delegate,omitempty" doc:"the caller can pass their part to another person now, after a code where one is asked for"`
	Delivery             *deliveryData       `json:"delivery,omitempty" doc:"for the owner and those who may act for them: how people are reached"`
	Warnings             []warning           `json:"warnings,omitempty" doc:"unexpected changes to the file, and findings in it"`
	AddressesHidden      bool                `json:"addresses_hidden,omitempty" doc:"the addresses of others are shown to the caller in part only, and the evidence certificate is not for them"`
	Labels               []labelOut          `json:"labels,omitempty" doc:"of the caller's organisation, on its documents, by name; missing: none"`
	RemovedAt            *string             `json:"removed_at,omitempty" doc:"when the files were removed under the retention of the organisation; records and digests remain; missing: they are there" example:"2036-10-14T06:06:00.000Z"`
	Folder               *folderOut          `json:"folder,omitempty" doc:"the caller's own folder in which they have it, or that of its team if they see it only as a member; missing: none"`
}

// deliveryData is how the people of a document are reached.
type deliveryData struct {
	Message       string              `json:"message" doc:"in every invitation and reminder; several lines" example:"Mohon ditandatangani minggu ini."`
	GuestCode     contract.CodePolicy `json:"guest_code" doc:"as in upload-docs" enum:",sign,read" example:"sign"`
	Messages      bool                `json:"messages" doc:"messages are sent about the document"`
	Delegation    bool                `json:"delegation" doc:"signers may pass their part to another person"`
	HideAddresses bool                `json:"hide_addresses" doc:"the people of the document see the addresses and phone numbers of others in part only"`
	Attach        bool                `json:"attach" doc:"the finished file and its evidence certificate are attached to the message about the completion, if they are small enough"`
	Remind        remindOut           `json:"remind" doc:"as in upload-docs, in days; 0: not"`
}

// remindIn is when the service reminds people by itself.
type remindIn struct {
	After  integer `json:"after" required:"false" doc:"days after the turn of the last person began: 1 to 365; 0: not" example:"3"`
	Every  integer `json:"every" required:"false" doc:"days after the last reminder; 0: not" example:"7"`
	Before integer `json:"before" required:"false" doc:"days before the document expires; 0: not" example:"1"`
}

type remindOut struct {
	After  int `json:"after" example:"3"`
	Every  int `json:"every" example:"7"`
	Before int `json:"before" example:"1"`
}

func (in *remindIn) parseReminders(bad *problems) contract.Reminders {
	if in == nil {
		return contract.Reminders{}
	}
	days := func(n integer, name string) int {
		return int(max(min(n.checkedValue("remind."+name, 0, bad), math.MaxInt16), math.MinInt16)) // the rule refuses what is out of range
	}
	return contract.Reminders{After: days(in.After, "after"), Every: days(in.Every, "every"), Before: days(in.Before, "before")}
}

// deliveryOf returns nil for people other than the owner and those who may act for the owner.
func deliveryOf(d *contract.Document, by contract.Actor) *deliveryData {
	if by.ID != d.Owner.ID && !d.IsManagedBy(by) {
		return nil
	}
	return &deliveryData{Message: d.Delivery.Message, GuestCode: d.Delivery.Code, Messages: !d.Delivery.Silent, Attach: d.Delivery.Attach, Delegation: d.Delivery.Delegation, HideAddresses: d.Delivery.HideAddresses, Remind: remindOut(d.Delivery.Reminders)}
}

type detailOwner struct {
	UserID contract.PersonID `json:"user_id" example:"5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00"`
	Email  string            `json:"email" example:"andi@contoh.id"`
	Name   string            `json:"name" example:"Andi Wijaya"`

	Organisation string  `json:"organisation" doc:"name of the owner's organisation" example:"PT Contoh Sejahtera"`
	Colour       *string `json:"colour" doc:"#rrggbb; null: that of the service" example:"#0b6e5f"`
	Logo         *string `json:"logo" doc:"address of a PNG or JPEG picture; null: none. What an address shows never changes" example:"https://segel.contoh.id/v1/logo/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// detailPart is the caller as a participant.
type detailPart struct {
	UserID        contract.PersonID `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	Name          string            `json:"name" example:"Siti Rahma"`
	Role          contract.Role     `json:"role" enum:"signer,viewer" example:"signer"`
	ActsAs        string            `json:"acts_as" doc:"what the person does: their role, or more exactly" enum:"signer,viewer,approver,witness,copy" example:"signer"`
	SigningStatus bool              `json:"signing_status" doc:"has signed"`
	SignedAt      *string           `json:"signed_at" doc:"ISO 8601, of an approver: when they approved; null: not yet"`
	Group         []string          `json:"group_members,omitempty" doc:"names of those of whom any one acts for all, with the caller; missing: the caller acts for themselves, or someone has acted" example:"[\"Siti Rahma\",\"Budi Santoso\"]"`
	ActedFor      *string           `json:"acted_for,omitempty" doc:"name of the member who acted for the caller's group" example:"Siti Rahma"`
	DelegatedTo   *delegationOut    `json:"delegated_to,omitempty" doc:"whom they passed their part to"`
}

type detailSigner struct {
	Name          string  `json:"name" example:"Siti Rahma"`
	Email         *string `json:"email" example:"siti@contoh.id"`
	ActsAs        string  `json:"acts_as" doc:"what the person does: their role, or more exactly" enum:"signer,viewer,approver,witness,copy" example:"signer"`
	Group         int     `json:"group,omitempty" doc:"of whom any one acts for all, also of those who became viewers when another member acted; missing: they act for themselves" example:"1"`
	Status        bool    `json:"status" doc:"has acted: signed, approved, or viewed for a viewer"`
	SigningStatus bool    `json:"signing_status" doc:"has signed"`
	SignedAt      *string `json:"signed_at" doc:"of an approver: when they approved"`
	IsOwner       bool    `json:"is_owner"`
	Placeholder   bool    `json:"placeholder,omitempty" doc:"a role that a person is to fill; name is that of the role"`
}

// dataToken is the quota that the document uses.
type dataToken struct {
	Used    tokenCount `json:"used" doc:"reserved or spent"`
	Success tokenCount `json:"success" doc:"spent"`
	Failed  tokenCount `json:"failed" doc:"released or lost"`
}

type tokenCount struct {
	Emet   int `json:"emet" doc:"duty stamps"`
	Base   int `json:"base" doc:"signatures with the embedded authority's certificates"`
	Peruri int `json:"peruri" doc:"signatures with certificates of a licensed provider"`
}

func tokenCountOf(n contract.Count) tokenCount { return tokenCount{Emet: n.Stamps, Base: n.Signatures} }

type infoRestamping struct {
	ButtonRestamping string `json:"button_restamping" enum:"enable,disable" example:"disable"`
	AllowedStamping  bool   `json:"allowed_stamping" doc:"a stamp is due, and quota and state permit it"`
	ColorBackground  string `json:"color_background" enum:"success,warning,danger" example:"success"`
}

func (c *call) loadDetail() (detailData, error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return detailData{}, err
	}
	d, err := c.Workflow.LoadAuthorised(c.r.Context(), c.by, c.endpoint.access.op, id)
	if err != nil {
		return detailData{}, err
	}
	data, err := c.readDetail(&d)
	if err != nil {
		return detailData{}, err
	}
	filed, err := c.Workflow.Filed(c.r.Context(), c.by, &d)
	if err != nil {
		return detailData{}, err
	}
	data.Labels, data.Folder = filingOf(filed)
	removal, err := c.Workflow.Removal(c.r.Context(), &d)
	if err != nil {
		return detailData{}, err
	}
	if removal != nil {
		data.RemovedAt = isoOrNull(removal.At)
	}
	data.AccountOffer, err = c.offerAccount()
	return data, err
}

// readDetail returns the detail of a document as the caller sees it. It reads the organisation of the document.
func (c *call) readDetail(d *contract.Document) (detailData, error) {
	organisation, err := c.Workflow.Organisation(c.r.Context(), d.Organisation)
	if err != nil {
		return detailData{}, err
	}
	return c.detailWith(d, organisation), nil
}

// detailWith returns the detail of a document of an organisation as the caller sees it.
func (c *call) detailWith(d *contract.Document, organisation store.Organisation) detailData {
	shown := d.AsShownTo(c.by)
	sender := c.senderOf(organisation)
	counters := d.Counters()
	return detailData{
		ID: d.ID, DocumentTitle: d.Title, DocumentName: d.Name,
		Status: d.State, Expired: isoOrNull(d.ExpiresAt), IsExpired: isExpired(d, c.Clock()),
		SigningStatus: d.SigningState(), Description: text.Description(c.language, shown), CreateAt: formatISO(d.CreatedAt),
		IsParallel: d.Parallel, IsOwner: c.by.ID == d.Owner.ID, IsPaid: d.IsPaid(), IsSign: d.MaySign(c.by.ID), IsApprove: d.MayApprove(c.by.ID),
		Owner:       detailOwner{UserID: d.Owner.ID, Email: d.Owner.Email, Name: d.Owner.Name, Organisation: sender.Organisation, Colour: sender.Colour, Logo: sender.Logo},
		Participant: partOf(shown, c.by.ID), Code: c.guestCheckOf(d), Delivery: deliveryOf(d, c.by), MayDelegate: c.mayDelegate(d),
		Signer:         detailSigners(shown),
		DataToken:      dataToken{Used: tokenCountOf(counters.Used), Success: tokenCountOf(counters.Success), Failed: tokenCountOf(counters.Failed)},
		InfoRestamping: restampingOf(d),
		LastSignedAt:   isoOrNull(d.LastSignedAt), StatusInfo: c.statusInfo(d),
		ActiveDownloadButton: d.State == contract.Completed && !d.IsRemoved(), SerialNumber: d.Serials(),
		Specimen: d.Specimen, Test: d.Test, Template: d.Template, Version: d.Version, Mode: d.Mode, Progress: progressOf(shown, c.language), Placements: placementsOf(shown, c.by.ID, c.language), Warnings: c.fileWarnings(d),
		AddressesHidden: !d.SeesAddresses(c.by), Team: c.teamShown(d), ManagedByTeam: c.by.ID != d.Owner.ID && d.IsManagedBy(c.by),
	}
}

// detailSigners returns the participants by number.
func detailSigners(d *contract.Document) []detailSigner {
	return convertAll(d.Participants, func(p contract.Participant) detailSigner {
		return detailSigner{
			Name: p.Name, Email: orNull(p.Email), ActsAs: p.ActsAs(), Group: p.Group, Status: d.HasActed(p), SigningStatus: d.HasSigned(p), SignedAt: isoOrNull(p.SignedAt), IsOwner: p.ID == d.Owner.ID, Placeholder: p.Placeholder,
		}
	})
}

// partOf returns a person's part in a document, or null.
func partOf(d *contract.Document, id contract.PersonID) maybe[detailPart] {
	p := d.Participant(id)
	if p == nil {
		return maybe[detailPart]{}
	}
	to, _ := delegationsOf(d, id)
	part := detailPart{DelegatedTo: to, ActedFor: actedFor(d, id), UserID: p.ID, Name: p.Name, Role: p.Role, ActsAs: p.ActsAs(), SigningStatus: d.HasSigned(*p), SignedAt: isoOrNull(p.SignedAt)}
	if members := d.GroupOf(id); len(members) > 1 {
		part.Group = convertAll(members, func(m contract.Participant) string { return m.Name })
	}
	return maybe[detailPart]{&part}
}

// anyOf names the members of a group, of whom any one acts, or a person alone.
func anyOf(l text.Language, members []contract.Participant) string {
	return text.AnyOf(l, convertAll(members, func(m contract.Participant) string { return m.Name }))
}

// actedFor returns the name of the person who acted for the group of another one, or nil.
func actedFor(d *contract.Document, id contract.PersonID) *string {
	if p := d.ActedFor(id); p != nil {
		return &p.Name
	}
	return nil
}

// fileWarnings returns the warnings about the file: it differs from the upload, may look different, or contains
// findings.
func (c *call) fileWarnings(d *contract.Document) []warning {
	var plain []contract.Warning
	if d.Normalised() {
		plain = append(plain, contract.Warning{Field: "document", Code: "document.normalised"})
	}
	if d.Conversion.State == contract.Converting {
		plain = append(plain, contract.Warning{Field: "document", Code: contract.ErrConverting.Code})
	}
	all := c.warningsOf(append(plain, d.Conversion.Warnings...))
	for _, f := range d.Findings {
		all = append(all, warning{
			Field: "document", Code: string(f.Code), Msg: text.Warning(c.language, f.Warning()),
			Page: f.Page, MustAccept: f.Refused, Accepted: f.Accepted,
		})
	}
	return all
}

// restampingOf returns what the client shows at the button for stamping again.
func restampingOf(d *contract.Document) infoRestamping {
	due := d.FullySigned() && d.NextStamp() >= 0
	r := infoRestamping{
		ButtonRestamping: "disable", ColorBackground: "success",
		AllowedStamping: due && d.IsPaid() && (d.State == contract.Processing || d.State == contract.Failed),
	}
	switch {
	case d.State == contract.Failed:
		r.ButtonRestamping, r.ColorBackground = "enable", "danger"
	case d.Restamping:
		r.ColorBackground = "warning"
	}
	return r
}

type describeIn struct {
	DocumentID    integer   `json:"document_id" required:"true"`
	DocumentTitle *phrase   `json:"document_title" required:"false" doc:"unchanged if missing" example:"Perjanjian Sewa"`
	ExpiredAt     *phrase   `json:"expired_at" required:"false" doc:"ISO 8601 with a zone, in the future; empty: never; unchanged if missing" example:"2027-01-31T17:00:00.000Z"`
	Message       *phrase   `json:"message" required:"false" doc:"as in upload-docs; unchanged if missing" example:"Mohon ditandatangani minggu ini."`
	GuestCode     *phrase   `json:"guest_code" required:"false" doc:"as in upload-docs; empty: only with links that were mailed; unchanged if missing" enum:"sign,read" example:"sign"`
	Messages      binary    `json:"messages" required:"false" doc:"as in upload-docs; unchanged if missing"`
	Delegation    binary    `json:"delegation" required:"false" doc:"as in upload-docs; unchanged if missing"`
	HideAddresses binary    `json:"hide_addresses" required:"false" doc:"as in upload-docs; unchanged if missing"`
	Attach        binary    `json:"attach" required:"false" doc:"as in upload-docs; unchanged if missing"`
	Remind        *remindIn `json:"remind" required:"false" doc:"as in upload-docs; unchanged if missing"`
	Version       integer   `json:"version" required:"false" doc:"version of the draft that was read. 409 document.version_changed if it has another one now. Missing: the change replaces whatever is there" example:"4"`
}

func (c *call) describeDocument(in *describeIn) (done[verbData], error) {
	var bad problems
	id := parseDocumentID(in.DocumentID, &bad)
	var to contract.Description
	if in.DocumentTitle != nil {
		title := in.DocumentTitle.checkedValue("document_title", &bad)
		to.Title = &title
	}
	if in.ExpiredAt != nil {
		at := parseExpiry(*in.ExpiredAt, &bad)
		to.ExpiresAt = &at
	}
	if in.Message != nil {
		message := in.Message.checkedValue("message", &bad)
		to.Message = &message
	}
	if in.GuestCode != nil {
		code := contract.CodePolicy(in.GuestCode.checkedValue("guest_code", &bad))
		to.Code = &code
	}
	if in.Messages.given {
		silent := !in.Messages.checkedValue("messages", &bad)
		to.Silent = &silent
	}
	if in.Attach.given {
		attach := in.Attach.checkedValue("attach", &bad)
		to.Attach = &attach
	}
	if in.Delegation.given {
		allowed := in.Delegation.checkedValue("delegation", &bad)
		to.Delegation = &allowed
	}
	if in.HideAddresses.given {
		hide := in.HideAddresses.checkedValue("hide_addresses", &bad)
		to.HideAddresses = &hide
	}
	if in.Remind != nil {
		r := in.Remind.parseReminders(&bad)
		to.Reminders = &r
	}
	seen := parseSeenVersion(in.Version, &bad)
	return runDocumentOperation(c, id, bad, "done.describe", func(ctx context.Context) (contract.Document, error) {
		return c.Workflow.Describe(ctx, c.by, id, seen, to)
	})
}

type statusData struct {
	DocumentID    string         `json:"document_id" doc:"a string here" example:"1207"`
	DocumentTitle string         `json:"document_title" example:"Perjanjian Sewa"`
	Status        contract.State `json:"status" example:"processing"`
	SerialNumber  []string       `json:"serial_number" doc:"of the duty stamps in the file"`
	IsRestamping  bool           `json:"isRestamping" doc:"from restamp until it settles"`
	Specimen      bool           `json:"specimen" doc:"stamped by the sandbox office: without legal value"`
	Mode          contract.Mode  `json:"mode,omitempty" doc:"missing for a draft" enum:"signing,stamping" example:"signing"`
	Progress      progress       `json:"progress"`
}

// statusOf is statusDataOf in the language of the request.
func (c *call) statusOf(d *contract.Document) statusData {
	return statusDataOf(d.AsShownTo(c.by), c.language)
}

func statusDataOf(d *contract.Document, l text.Language) statusData {
	return statusData{
		DocumentID: strconv.FormatInt(int64(d.ID), 10), DocumentTitle: d.Title, Status: d.State,
		SerialNumber: d.Serials(), IsRestamping: d.Restamping,
		Specimen: d.Specimen, Mode: d.Mode, Progress: progressOf(d, l),
	}
}

// statusInfo is the short status of a document.
func (c *call) statusInfo(d *contract.Document) string {
	s := text.StatusInfo(c.language, d)
	if d.Specimen {
		s += " (" + export.SpecimenWord + ")"
	}
	return s
}

// isExpired returns "1" for a document that expired while participants still had to act.
func isExpired(d *contract.Document, now time.Time) string {
	if d.State == contract.Expired || d.IsOverdue(now) {
		return "1"
	}
	return "0"
}

// progress lists the steps of a document in order, each with its state.
type progress struct {
	Steps []step `json:"steps"`
}

type step struct {
	Step       string   `json:"step" enum:"converted,approved,signed,timestamped,stamped,sealed,logged" doc:"converted: only for Word documents; approved: only with approvers; timestamped: each signature, by the time-stamp authority; logged: in the audit log" example:"signed"`
	State      string   `json:"state" doc:"waiting: not yet its turn; active: in progress; stopped: the document ended or failed here" enum:"waiting,active,done,stopped" example:"active"`
	Done       int      `json:"done" example:"1"`
	Total      int      `json:"total" example:"2"`
	WaitingFor []string `json:"waiting_for" doc:"names of the participants whose turn it is; those of a group in one sentence"`
	Reason     *string  `json:"reason" doc:"what it waits for or why it stopped; for a refusal, also the words of the actor or the stamp office"`
	At         *string  `json:"at" doc:"time of the last progress; null: none yet" example:"2024-10-14T06:06:00.000Z"`
	Serials    []string `json:"serials" doc:"of the duty stamps that were affixed"`
}

func progressOf(d *contract.Document, l text.Language) progress {
	steps := []step{signedStep(d, l), timestampedStep(d, l), stampedStep(d, l), closingStep(d, "sealed", sealedAt(d)), closingStep(d, "logged", d.EndedAt)}
	if slices.ContainsFunc(d.Participants, contract.Participant.MustApprove) {
		steps = append([]step{approvedStep(d, l)}, steps...)
	}
	setStepStates(steps, d, l)
	if d.IsWord() {
		steps = append([]step{convertedStep(d, l)}, steps...)
	}
	return progress{steps}
}

func newStep(name string) step { return step{Step: name, WaitingFor: []string{}, Serials: []string{}} }

func signedStep(d *contract.Document, l text.Language) step {
	s := newStep("signed")
	if d.Mode == contract.Stamping {
		return s
	}
	s.countActs(d, contract.Participant.MustSign, l)
	return s
}

func approvedStep(d *contract.Document, l text.Language) step {
	s := newStep("approved")
	s.countActs(d, contract.Participant.MustApprove, l)
	return s
}

// countActs counts what the given participants did, a group once, and names those whose turn it is.
func (s *step) countActs(d *contract.Document, of func(contract.Participant) bool, l text.Language) {
	var at time.Time
	for _, p := range d.Parts() {
		if !of(p) {
			continue
		}
		s.Total++
		if !p.SignedAt.IsZero() {
			s.Done++
		}
		if p.SignedAt.After(at) {
			at = p.SignedAt
		}
		if d.InTurn(p.ID) {
			s.WaitingFor = append(s.WaitingFor, anyOf(l, d.GroupOf(p.ID)))
		}
	}
	s.At = isoOrNull(at)
}

// timestampedStep has the same state as signed: a signature is never committed without a timestamp.
func timestampedStep(d *contract.Document, l text.Language) step {
	of, s := signedStep(d, l), newStep("timestamped")
	s.Done, s.Total, s.At = of.Done, of.Total, of.At
	return s
}

func stampedStep(d *contract.Document, l text.Language) step {
	s := newStep("stamped")
	s.Serials, s.Total = d.Serials(), stampsOf(d)
	s.Done = len(s.Serials)
	var at time.Time
	for _, e := range d.Stamps {
		if e.AffixedAt.After(at) {
			at = e.AffixedAt
		}
	}
	s.At = isoOrNull(at)
	if i := d.NextStamp(); i >= 0 {
		s.Reason = orNull(text.Reason(l, d.Stamps[i].Problem))
	}
	return s
}

// closingStep is a step of closing a document. Closing commits its revisions and its event of the audit log together.
func closingStep(d *contract.Document, name string, at time.Time) step {
	s := newStep(name)
	s.Total = 1
	if d.State == contract.Completed {
		s.Done, s.At = 1, isoOrNull(at)
	}
	return s
}

func sealedAt(d *contract.Document) time.Time {
	for _, r := range d.Revisions {
		if r.Kind == contract.RevisionSeal {
			return r.At
		}
	}
	return d.EndedAt
}

// convertedStep is the first step of a document that was uploaded as a Word document.
func convertedStep(d *contract.Document, l text.Language) step {
	s := newStep("converted")
	s.State, s.Total = "active", 1
	switch {
	case d.Conversion.State == contract.ConvertedWell:
		s.State, s.Done = "done", 1
	case d.Conversion.State == contract.ConversionFailed:
		why := text.Sentence(l, d.Conversion.Problem, nil)
		s.State, s.Reason = "stopped", &why
	case d.State != contract.Draft:
		s.State = "stopped"
	}
	return s
}

// stampsOf counts the duty stamps that are ordered or, for a draft, placed.
func stampsOf(d *contract.Document) int {
	if d.State != contract.Draft {
		return len(d.Stamps)
	}
	n := 0
	for _, p := range d.Placements {
		if p.Kind == contract.PlaceStamp {
			n++
		}
	}
	return n
}

// setStepStates gives each step its state: the first step that is not done is the current one.
func setStepStates(steps []step, d *contract.Document, l text.Language) {
	reached := false
	for i := range steps {
		s := &steps[i]
		switch {
		case d.State == contract.Draft, reached:
			s.State = "waiting"
			continue
		case s.Done == s.Total:
			s.State = "done"
			continue
		case d.State == contract.Processing:
			s.State = "active"
		default:
			s.State = "stopped"
		}
		if d.Reason != "" {
			s.Reason = orNull(text.Reason(l, d.Reason))
		}
		reached = true
	}
}

func (c *call) deleteDocument() (detailData, error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return detailData{}, err
	}
	d, err := c.Workflow.Delete(c.r.Context(), c.by, id)
	if err != nil {
		return detailData{}, err
	}
	return c.readDetail(&d)
}

type auditLine struct {
	DateTime    string             `json:"dateTime" example:"2024-10-14T06:06:00.000Z"`
	Name        string             `json:"name" doc:"who; the service itself has a name too" example:"Siti Rahma"`
	IPAddress   string             `json:"ipAddress" doc:"empty for the service itself" example:"203.0.113.7"`
	Description string             `json:"description" example:"Menandatangani dokumen"`
	Type        contract.EventType `json:"type" doc:"stable, for programs" example:"signed"`
}

func (c *call) listEvents() ([]auditLine, error) {
	id, err := c.pathDocumentID()
	if err != nil {
		return nil, err
	}
	events, err := c.Workflow.AuditTrail(c.r.Context(), c.by, id)
	if err != nil {
		return nil, err
	}
	return convertAll(events, func(e contract.Event) auditLine {
		return auditLine{DateTime: formatISO(e.At), Name: c.nameOf(e.Person), IPAddress: e.IP, Description: text.Event(c.language, e), Type: e.Type}
	}), nil
}

// nameOf returns the display name of an actor. The service itself has one too.
func (c *call) nameOf(p contract.Person) string {
	if p.ID == "" {
		return c.sentenceOf("actor.service")
	}
	return cmp.Or(p.Name, p.Email)
}
