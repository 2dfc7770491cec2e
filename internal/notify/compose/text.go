package compose

import (
	"regexp"
	"strings"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/text"
)

// Limits of what people wrote in a text message, in characters. Longer text is cut: providers bill long messages several times.
const (
	maxTextName  = 40
	maxTextTitle = 60
)

// textCodes are the sentences of text messages.
var textCodes = map[contract.NoticeKind]string{
	contract.NoticeInviteSigner: "phone.invite_sign",
	contract.NoticeInviteViewer: "phone.invite_view",
	contract.NoticeReminder:     "phone.reminder",
	contract.NoticeDelegated:    "phone.delegated",
	contract.NoticeDeclined:     "phone.declined",
	contract.NoticeCanceled:     "phone.canceled",
	contract.NoticeExpired:      "phone.expired",
	contract.NoticeCompleted:    "phone.completed",
	contract.NoticeCode:         "phone.code",
}

// approverCodes are those that say something else to an approver, or about one.
var approverCodes = map[contract.NoticeKind]string{
	contract.NoticeInviteSigner: "phone.invite_approve", contract.NoticeReminder: "phone.reminder_approve", contract.NoticeDelegated: "phone.delegated_approval",
}

// domain is what phones show as a link, also without a scheme: a dot before at least two letters.
var domain = regexp.MustCompile(`\.(\pL\pL)`)

// breakLinks returns what people wrote so that a phone makes no link of it: the one link in a message is ours.
func breakLinks(s string) string {
	s = strings.ReplaceAll(s, "://", " ")
	return domain.ReplaceAllString(s, ". $1")
}

// ComposeText writes a message as a short text: a sentence or two, and the link on a line of its own. A code stands alone, so that people do not
// forward a link together with it.
func (c Composer) ComposeText(f notify.Facts) (string, error) {
	link, err := parseLink(f.Link)
	if err != nil {
		return "", err
	}
	code, ok := textCodes[f.Kind]
	if approving := approverCodes[f.Kind]; approving != "" && f.Capacity == contract.Approver {
		code = approving
	}
	if !ok {
		return "", ErrKind
	}
	args := c.arguments(f)
	args["host"] = link.Host
	for name, most := range map[string]int{"sender": maxTextName, "organisation": maxTextName, "by": maxTextName, "delegate": maxTextName, "title": maxTextTitle} {
		args[name] = truncate(breakLinks(args[name].(string)), most)
	}
	args["code"] = breakLinks(args["code"].(string))
	if args["by"] == "" {
		args["by"] = text.Sentence(f.Language, "phone.someone", nil)
	}
	said := text.Sentence(f.Language, code, args)
	if f.Kind == contract.NoticeCode {
		return said, nil
	}
	if len(f.Others) > 0 && asksToAct(f.Kind) {
		said += " " + text.Sentence(f.Language, "phone.group", args)
	}
	if f.Guest && (asks(f.Kind) || f.Kind == contract.NoticeCompleted) {
		said += " " + text.Sentence(f.Language, "phone.guest", nil)
	}
	return said + "\n" + f.Link, nil
}
