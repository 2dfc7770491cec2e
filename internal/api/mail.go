package api

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"segel/internal/contract"
	"segel/internal/store"
	"segel/internal/text"
)

// noticeOut is what became of a notice.
type noticeOut struct {
	Kind      contract.NoticeKind  `json:"kind" enum:"invite_sign,invite_view,code,reminder,delegated,declined,canceled,expired,completed,invitation,password_reset,password_changed,new_device,factor_added,factor_removed,factors_reset,key_created,key_new_network,login_failures,transferred" example:"invite_sign"`
	Channel   string               `json:"channel" doc:"by which it is sent" enum:"mail,whatsapp,sms" example:"mail"`
	Status    contract.NoticeState `json:"status" doc:"kept: no mail server or provider is configured for it, an operator can pass the message on; dropped: it was not needed any more" enum:"ordered,sent,kept,dropped,failed" example:"sent"`
	OrderedAt string               `json:"ordered_at" example:"2024-10-14T06:06:00.000Z"`
	DoneAt    *string              `json:"done_at" doc:"when it was sent, kept, dropped or failed; null: not yet" example:"2024-10-14T06:06:01.000Z"`
	DueAt     *string              `json:"due_at" doc:"when it is tried next; null: not any more" example:"2024-10-14T06:06:00.000Z"`
	Tries     int                  `json:"tries" example:"1"`
	Problem   *string              `json:"problem" doc:"why the last try failed, or why it was dropped; null: no problem" example:"550 5.1.1 no such user"`
}

func (c *call) noticeOf(n contract.Notice) noticeOut {
	out := noticeOut{
		Kind: n.Kind, Channel: nameChannel(n.Channel), Status: n.State, OrderedAt: formatISO(n.OrderedAt), DoneAt: isoOrNull(n.DoneAt), Tries: n.Tries,
		Problem: orNull(text.Reason(c.language, n.Problem)),
	}
	if n.State == contract.NoticeOrdered {
		out.DueAt = isoOrNull(dueSince(n.DueAt, n.OrderedAt))
	}
	return out
}

// dueSince returns when an ordered message is due. Zero means that it is due by every clock, since its process ended: it is shown as due since it was ordered.
func dueSince(due, ordered time.Time) time.Time {
	if due.IsZero() {
		return ordered
	}
	return due
}

// mailLine is a notice with its document and its recipient, for administrators.
type mailLine struct {
	Notice     noticeOut           `json:"notice"`
	ID         contract.NoticeID   `json:"id" example:"01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61"`
	Document   contract.DocumentID `json:"document_id" doc:"0: the message is about an account" example:"1207"`
	Address    *string             `json:"address" doc:"the address or phone number to which the last try sent it; null: none was made" example:"budi@contoh.id"`
	Person     contract.PersonID   `json:"user_id" example:"8f14e45f-ceea-467f-a0e6-1b1f0c8d3a01"`
	MayBeShown bool                `json:"may_be_shown" doc:"the caller may read the message"`
}

type adminMailData struct {
	Mail       []mailLine `json:"mail"`
	MailServer bool       `json:"mail_server" doc:"a mail server is configured; else messages are kept for an operator to pass on"`
	Channels   []string   `json:"channels" doc:"by which messages are sent: mail, whatsapp, sms; those of others are kept" example:"[\"mail\",\"whatsapp\"]"`
	Pagination pagination `json:"pagination"`
}

func (c *call) listMail() (adminMailData, error) {
	q := c.parseQuery()
	p := q.parsePage(adminLimit)
	r := store.NoticeQuery{
		Organisation: q.parseOrganisation(), Document: q.parseDocument(), State: parseChoice(q, "status", contract.NoticeStates),
		Offset: p.skippedLines(), Limit: p.limit,
	}
	if err := q.bad.asError(); err != nil {
		return adminMailData{}, err
	}
	found, err := c.Notices.List(c.r.Context(), c.by, r)
	if err != nil {
		return adminMailData{}, err
	}
	return adminMailData{
		Mail: convertAll(found.Notices, c.mailLineOf), MailServer: c.Notices.Sender != nil, Channels: c.sentChannels(), Pagination: paginate(p, found.Total, len(found.Notices)),
	}, nil
}

// sentChannels returns the names of the channels by which messages are sent.
func (c *call) sentChannels() []string {
	names := []string{}
	for _, channel := range append([]contract.Channel{contract.ChannelMail}, contract.PhoneChannels...) {
		if c.Notices.Delivers(channel) {
			names = append(names, nameChannel(channel))
		}
	}
	return names
}

func (c *call) mailLineOf(n contract.Notice) mailLine {
	notice := c.noticeOf(n)
	if c.by.Operator {
		notice.Problem = orNull(text.ReasonForOperator(c.language, n.Problem))
	}
	return mailLine{Notice: notice, ID: n.ID, Document: n.Document, Address: orNull(n.Address), Person: n.Person, MayBeShown: c.by.Operator}
}

type adminMailMessage struct {
	Line    mailLine `json:"line"`
	To      string   `json:"to" example:"\"Budi Santoso\" <budi@contoh.id>"`
	Subject string   `json:"subject" example:"PT Contoh meminta tanda tangan Anda: Perjanjian Sewa"`
	Text    string   `json:"text" doc:"the message as plain text, with the link"`
	HTML    string   `json:"html" doc:"the message as it is mailed; empty for a text message to a phone"`
	Link    string   `json:"link" doc:"where the message leads; a guest's link opens the document for any person who has it" example:"https://segel.contoh.id/guest#segel_ml_..."`
}

func (c *call) showMail() (adminMailMessage, error) {
	n, m, err := c.Notices.Show(c.r.Context(), c.by, contract.NoticeID(c.r.PathValue("notice_id")))
	if err != nil {
		return adminMailMessage{}, err
	}
	return adminMailMessage{Line: c.mailLineOf(n), To: m.Recipient(), Subject: m.Subject, Text: m.Text, HTML: m.HTML, Link: m.Link}, nil
}

func (c *call) retryMail() (done[mailLine], error) {
	n, err := c.Notices.Retry(c.r.Context(), c.by, contract.NoticeID(c.r.PathValue("notice_id")))
	if err != nil {
		return done[mailLine]{}, err
	}
	return doneAnswer(c, "done.mail_retried", c.mailLineOf(n)), nil
}

func noticeParam() *huma.Param {
	return &huma.Param{Name: "notice_id", In: "path", Required: true, Description: "UUID of a message.", Schema: textSchema(), Example: "01929a3c-5e2b-7c1d-9e7b-2f9d0c4a5b61"}
}
