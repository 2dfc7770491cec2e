package compose

import (
	"cmp"
	"strings"
	"time"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/text"
)

// writeAccountLetter chooses the sentences of a message about an account. It has no sender: the service writes it.
func writeAccountLetter(f notify.Facts, l *letter, args map[string]any, say func(code string) string) error {
	args["account"] = cleanLine(f.Recipient.Email, maxName)
	args["device"] = ""
	if f.UserAgent != "" {
		args["device"] = cleanLine(text.Device(f.Language, f.UserAgent), maxName)
	}
	args["ip"] = cleanLine(f.IP, maxName)
	args["about"] = cleanLine(f.About, maxName)
	about := ""
	var subject string
	switch f.Kind {
	case contract.NoticeInvitation:
		subject, l.Button = "mail.subject_invitation", say("mail.button_invitation")
		l.Paragraphs = []string{chooseNamed(args, say("mail.invitation"), say("mail.invitation_unnamed")), say("mail.invitation_do"), say("mail.invitation_care")}
	case contract.NoticePasswordReset:
		subject, l.Button = "mail.subject_password_reset", say("mail.button_password_reset")
		l.Paragraphs = []string{say("mail.password_reset"), say("mail.password_reset_do"), say("mail.password_reset_care")}
	case contract.NoticePasswordChanged:
		subject, l.Button = "mail.subject_password_changed", say("mail.button_account")
		l.Paragraphs = []string{say("mail.password_changed"), say("mail.password_changed_care")}
	case contract.NoticeNewDevice:
		subject, l.Button = "mail.subject_new_device", say("mail.button_password")
		l.Paragraphs = []string{say("mail.new_device"), say("mail.new_device_care")}
	case contract.NoticeFactorAdded:
		subject, l.Button = "mail.subject_factor_added", say("mail.button_account")
		l.Paragraphs = []string{say("mail.factor_added"), say("mail.factor_care")}
	case contract.NoticeFactorRemoved:
		subject, l.Button = "mail.subject_factor_removed", say("mail.button_account")
		l.Paragraphs = []string{say("mail.factor_removed"), say("mail.factor_care")}
	case contract.NoticeFactorsReset:
		subject, l.Button = "mail.subject_factors_reset", say("mail.button_account")
		l.Paragraphs = []string{say("mail.factors_reset"), say("mail.factors_reset_care")}
	case contract.NoticeKeyCreated:
		subject, l.Button, about = "mail.subject_key_created", say("mail.button_keys"), say("mail.label_key")
		l.Paragraphs = []string{say("mail.key_created"), say("mail.key_created_care")}
	case contract.NoticeKeyNetwork:
		subject, l.Button, about = "mail.subject_key_new_network", say("mail.button_keys"), say("mail.label_key")
		l.Paragraphs = []string{say("mail.key_new_network"), say("mail.key_new_network_care")}
	case contract.NoticeLoginFailures:
		subject, l.Button, about = "mail.subject_login_failures", say("mail.button_logins"), say("mail.label_about")
		args["account"] = "" // the recipient's own, which it is not about
		l.Paragraphs = []string{say("mail.login_failures"), say("mail.login_failures_care")}
	case contract.NoticeTransferred:
		subject, l.Button, about = "mail.subject_transferred", say("mail.button_sent"), say("mail.label_former_owner")
		args["account"] = ""
		l.Paragraphs = []string{chooseNamed(args, say("mail.transferred"), say("mail.transferred_unnamed")), say("mail.transferred_care")}
	case contract.NoticeRemoval:
		subject, l.Button = "mail.subject_removal", say("mail.button_sent")
		count, until, _ := strings.Cut(f.About, " ")
		if day, err := time.Parse(time.DateOnly, until); err == nil {
			until = text.LongDate(f.Language, day)
		}
		args["count"], args["until"] = count, until
		args["account"], args["about"] = "", ""
		l.Paragraphs = []string{say("mail.removal"), say("mail.removal_care")}
	default:
		return ErrKind
	}
	l.Subject = truncate(text.Sentence(f.Language, subject, map[string]any{"organisation": truncate(cmp.Or(args["organisation"].(string), "Segel"), 50)}), maxSubject)
	for _, r := range []row{
		{about, args["about"].(string)}, {say("mail.label_account"), args["account"].(string)}, {say("mail.label_organisation"), args["organisation"].(string)},
		{say("mail.label_time"), args["at"].(string)}, {say("mail.label_device"), args["device"].(string)}, {say("mail.label_ip"), args["ip"].(string)},
	} {
		if r.Label != "" && r.Value != "" {
			l.Rows = append(l.Rows, r)
		}
	}
	l.Footer = []string{say("mail.footer_service"), say("mail.footer_password")}
	return nil
}
