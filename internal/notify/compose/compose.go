// Package compose writes the messages that are mailed, in Indonesian and English. The plain text and the HTML of a message are two
// renderings of one structure, so they say the same.
package compose

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/text"
)

// Errors of Compose.
var (
	ErrKind = errors.New("compose: unknown kind of message")
	ErrLink = errors.New("compose: link is not an absolute http or https URL")
)

// Limits of what people wrote, in characters. Longer text is cut.
const (
	maxName    = 100
	maxTitle   = 200
	maxMessage = 2000
	maxSubject = 150 // with a name and a title that are each cut to half of it
)

// Composer writes messages. It is safe for concurrent use.
type Composer struct{}

var _ notify.Composer = Composer{}

// letter is what a message says, in the order in which it says it.
type letter struct {
	Language   text.Language
	Subject    string
	Logo       string // name of the inline picture; empty: none
	LogoText   string
	Greeting   string
	Paragraphs []string
	Code       string
	Quote      *quote
	Rows       []row
	Button     string
	LinkHint   string
	Link       string
	Footer     []string
	Colours    colours
}

// quote is what the sender wrote.
type quote struct {
	Label string
	Lines []string
}

// row is a fact and its label.
type row struct{ Label, Value string }

// Compose writes the subject, the text, the HTML and the inline pictures of a message.
func (c Composer) Compose(f notify.Facts) (notify.Message, error) {
	link, err := parseLink(f.Link)
	if err != nil {
		return notify.Message{}, err
	}
	l, err := c.writeLetter(f, link)
	if err != nil {
		return notify.Message{}, err
	}
	m := notify.Message{Subject: l.Subject}
	if logo := inlineLogo(f.Logo); logo != nil {
		l.Logo = logo.Name
		m.Inline = []notify.Attachment{*logo}
	}
	m.Text = l.renderText()
	m.HTML, err = l.renderHTML()
	return m, err
}

func parseLink(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, " \"<>") {
		return nil, ErrLink // without err: a link holds secrets
	}
	return u, nil
}

// inlineLogo returns the logo if it is of a type that mail programs show.
func inlineLogo(b []byte) *notify.Attachment {
	switch http.DetectContentType(b) {
	case "image/png":
		return &notify.Attachment{Name: "logo.png", Type: "image/png", Bytes: b}
	case "image/jpeg":
		return &notify.Attachment{Name: "logo.jpg", Type: "image/jpeg", Bytes: b}
	}
	return nil
}

// writeLetter chooses the sentences of a message.
func (c Composer) writeLetter(f notify.Facts, link *url.URL) (*letter, error) {
	args := c.arguments(f)
	args["host"] = link.Host
	say := func(code string) string { return text.Sentence(f.Language, code, args) }
	l := &letter{Language: text.Indonesian, Link: f.Link, Colours: chooseColours(f.Colour), LinkHint: say("mail.link")}
	if f.Language == text.English {
		l.Language = text.English
	}
	if args["name"] == "" {
		l.Greeting = say("mail.greeting_anonymous")
	} else {
		l.Greeting = say("mail.greeting")
	}
	if args["organisation"] != "" {
		l.LogoText = say("mail.logo")
	}
	if slices.Contains(contract.AccountNoticeKinds, f.Kind) {
		return l, writeAccountLetter(f, l, args, say)
	}
	var subject string
	var guest bool // whether the message asks a guest to follow the link
	switch f.Kind {
	case contract.NoticeInviteSigner:
		subject, l.Button, guest = "mail.subject_invite_sign", say("mail.button_sign"), true
		l.Paragraphs = []string{say("mail.invite_sign"), say("mail.invite_sign_do")}
		switch f.Capacity {
		case contract.Approver:
			subject, l.Button = "mail.subject_invite_approve", say("mail.button_approve")
			l.Paragraphs = []string{say("mail.invite_approve"), say("mail.invite_approve_do")}
		case contract.Witness:
			l.Paragraphs[0] = say("mail.invite_witness")
		}
		if args["delegated_by"] != "" {
			passed := say("mail.delegated_to_you")
			if f.Capacity == contract.Approver {
				passed = say("mail.delegated_to_you_approval")
			}
			l.Paragraphs = slices.Insert(l.Paragraphs, 1, passed)
		}
	case contract.NoticeInviteViewer:
		subject, l.Button, guest = "mail.subject_invite_view", say("mail.button_view"), true
		l.Paragraphs = []string{say("mail.invite_view"), say("mail.invite_view_do")}
	case contract.NoticeReminder:
		subject, l.Button, guest = "mail.subject_reminder", say("mail.button_sign"), true
		l.Paragraphs = []string{say("mail.reminder"), say("mail.reminder_do")}
		if f.Capacity == contract.Approver {
			subject, l.Button = "mail.subject_reminder_approve", say("mail.button_approve")
			l.Paragraphs = []string{say("mail.reminder_approve"), say("mail.reminder_approve_do")}
		}
	case contract.NoticeDelegated:
		subject, l.Button = "mail.subject_delegated", say("mail.button_view")
		l.Paragraphs = []string{chooseNamed(args, say("mail.delegated"), say("mail.delegated_unnamed"))}
		if f.Capacity == contract.Approver {
			subject = "mail.subject_delegated_approval"
			l.Paragraphs = []string{chooseNamed(args, say("mail.delegated_approval"), say("mail.delegated_approval_unnamed"))}
		}
	case contract.NoticeDeclined:
		subject, l.Button = "mail.subject_declined", say("mail.button_view")
		l.Paragraphs = []string{chooseNamed(args, say("mail.declined"), say("mail.declined_unnamed"))}
	case contract.NoticeCanceled:
		subject, l.Button = "mail.subject_canceled", say("mail.button_view")
		l.Paragraphs = []string{chooseNamed(args, say("mail.canceled"), say("mail.canceled_unnamed"))}
	case contract.NoticeExpired:
		subject, l.Button = "mail.subject_expired", say("mail.button_view")
		l.Paragraphs = []string{say("mail.expired")}
	case contract.NoticeCompleted:
		subject, l.Button, guest = "mail.subject_completed", say("mail.button_download"), true
		what := say("mail.completed_do")
		switch {
		case f.EvidenceAttached:
			what = say("mail.completed_attached_both")
		case f.Attached:
			what = say("mail.completed_attached")
		}
		l.Paragraphs = []string{say("mail.completed"), what}
	case contract.NoticeCode:
		subject, l.Button, l.Code = "mail.subject_code", say("mail.button_code"), args["code"].(string)
		l.Paragraphs = []string{say("mail.code"), say("mail.code_care")}
	default:
		return nil, ErrKind
	}
	if len(f.Others) > 0 && asksToAct(f.Kind) {
		any := say("mail.group_sign")
		if f.Capacity == contract.Approver {
			any = say("mail.group_approve")
		}
		l.Paragraphs = append(l.Paragraphs, any)
	}
	if f.Guest && guest {
		l.Paragraphs = append(l.Paragraphs, say("mail.guest"))
	}
	if asks(f.Kind) {
		if lines := cleanLines(f.Message); len(lines) > 0 {
			l.Quote = &quote{Label: say("mail.label_message"), Lines: lines}
		}
	}
	l.Subject = writeSubject(f.Language, subject, args)
	l.Rows = listFacts(f, args, say)
	l.Footer = []string{say("mail.footer_service"), say("mail.footer_sender"), say("mail.footer_password")}
	return l, nil
}

// chooseNamed returns the first sentence if the person who acted is known.
func chooseNamed(args map[string]any, named, unnamed string) string {
	if args["by"] == "" {
		return unnamed
	}
	return named
}

// asks reports whether a message asks its recipient to read or sign.
func asks(k contract.NoticeKind) bool {
	return k == contract.NoticeInviteSigner || k == contract.NoticeInviteViewer || k == contract.NoticeReminder
}

// asksToAct reports whether a message asks its recipient to sign or approve.
func asksToAct(k contract.NoticeKind) bool {
	return k == contract.NoticeInviteSigner || k == contract.NoticeReminder
}

// arguments returns the arguments of the sentences. All of them are one clean line.
func (c Composer) arguments(f notify.Facts) map[string]any {
	organisation := cleanLine(f.Organisation, maxName)
	deadline := ""
	if !f.Deadline.IsZero() {
		deadline = text.MailedTime(f.Language, f.Deadline, cmp.Or(f.Zone, contract.Jakarta))
	}
	at := ""
	if !f.At.IsZero() {
		at = text.MailedTime(f.Language, f.At, cmp.Or(f.Zone, contract.Jakarta))
	}
	others := make([]string, len(f.Others))
	for i, name := range f.Others {
		others[i] = cleanLine(name, maxName)
	}
	approved, approveIt := "", ""
	if f.Approvals {
		approved, approveIt = text.Sentence(f.Language, "mail.approved", nil), text.Sentence(f.Language, "mail.approve_it", nil)
	}
	return map[string]any{
		"approved":     approved,
		"approve_it":   approveIt,
		"others":       others,
		"people":       len(others) + 1,
		"name":         cleanLine(f.Recipient.Name, maxName),
		"sender":       cmp.Or(cleanLine(f.Sender.Name, maxName), cleanLine(f.Sender.Email, maxName), organisation, "Segel"),
		"organisation": organisation,
		"title":        cmp.Or(cleanLine(f.Title, maxTitle), text.Sentence(f.Language, "mail.untitled", nil)),
		"by":           cleanLine(f.By, maxName),
		"delegate":     cleanLine(f.Delegate, maxName),
		"delegated_by": cleanLine(f.DelegatedBy, maxName),
		"code":         cleanLine(f.Code, maxName),
		"deadline":     deadline,
		"at":           at,
	}
}

// listFacts returns the table of a message.
func listFacts(f notify.Facts, args map[string]any, say func(code string) string) []row {
	if f.Kind == contract.NoticeCode {
		return nil
	}
	rows := []row{{say("mail.label_document"), args["title"].(string)}}
	if f.Pages > 0 {
		rows = append(rows, row{say("mail.label_pages"), text.Fill(f.Language, "{n}", map[string]any{"n": f.Pages})})
	}
	rows = append(rows, row{say("mail.label_sender"), say("mail.sender")})
	if deadline := args["deadline"].(string); deadline != "" && (asks(f.Kind) || f.Kind == contract.NoticeExpired) {
		rows = append(rows, row{say("mail.label_deadline"), deadline})
	}
	explained := f.Kind == contract.NoticeDeclined || f.Kind == contract.NoticeCanceled || f.Kind == contract.NoticeDelegated
	if reason := cleanLine(f.Reason, maxMessage); explained && reason != "" {
		rows = append(rows, row{say("mail.label_reason"), reason})
	}
	return rows
}

// writeSubject writes a subject of bounded length that names the organisation, or the sender if there is none, and the title.
func writeSubject(language text.Language, code string, args map[string]any) string {
	sender := args["sender"].(string)
	if o := args["organisation"].(string); o != "" {
		sender = o
	}
	return truncate(text.Sentence(language, code, map[string]any{
		"sender": truncate(sender, 50), "title": truncate(args["title"].(string), 70),
	}), maxSubject)
}

// cleanLine returns what a person wrote on one line of bounded length.
func cleanLine(s string, limit int) string {
	if len(s) > 4*utf8.UTFMax*limit { // more than is read of it
		s = s[:4*utf8.UTFMax*limit]
	}
	return truncate(removeInvisible(contract.CleanText(strings.ToValidUTF8(s, ""))), limit)
}

// cleanLines returns what a person wrote in several lines, without empty ones at its ends and more than one between others.
func cleanLines(s string) []string {
	if len(s) > 4*utf8.UTFMax*maxMessage {
		s = s[:4*utf8.UTFMax*maxMessage]
	}
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(strings.ToValidUTF8(s, ""))
	var lines []string
	left := maxMessage
	for line := range strings.SplitSeq(s, "\n") {
		line = truncate(removeInvisible(contract.CleanText(line)), left)
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, line)
		if left -= utf8.RuneCountInString(line) + 1; left <= 0 {
			break
		}
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// removeInvisible removes characters without a glyph that hide what a text says.
func removeInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0xAD || r == 0x200B || r == 0x2060 || r == 0xFEFF || r >= 0xE0000 && r <= 0xE007F:
			return -1
		case r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, s)
}

// truncate cuts s to a number of characters, the last of which is then an ellipsis.
func truncate(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	if limit < 1 {
		return ""
	}
	return strings.TrimSpace(string([]rune(s)[:limit-1])) + "…"
}
