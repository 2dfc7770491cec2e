package smtp

import (
	"bytes"
	"fmt"
	netmail "net/mail"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	mail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"segel/internal/notify"
)

// Patterns, compiled when the first message is encoded: a bounded repetition takes a hundred KiB.
var (
	headerName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,75}$`) })
	messageID  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,200}@[A-Za-z0-9.:-]{1,255}$`)
	})
	mediaType  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+/[a-z0-9.+-]{1,100}$`) })
	inlineName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`) })
)

// own are the headers that the adapter writes itself.
var own = map[string]bool{
	"from": true, "to": true, "cc": true, "bcc": true, "sender": true, "reply-to": true, "subject": true, "date": true, "message-id": true,
	"mime-version": true, "content-type": true, "content-transfer-encoding": true, "return-path": true, "received": true,
}

// encodeMessage writes a message with its headers (RFC 5322). The same message has the same bytes apart from date and boundaries.
func encodeMessage(m notify.Message, from, to string, now time.Time) ([]byte, error) {
	if !messageID().MatchString(m.ID) {
		return nil, fmt.Errorf("message ID %q is malformed", m.ID)
	}
	w := mail.NewMsg(mail.WithCharset(mail.CharsetUTF8), mail.WithEncoding(mail.EncodingQP), mail.WithNoDefaultUserAgent())
	w.FromMailAddress(&netmail.Address{Name: cleanHeader(m.From.Name), Address: from})
	w.ToMailAddress(&netmail.Address{Name: cleanHeader(m.To.Name), Address: to})
	if m.ReplyTo.Address != "" {
		reply, err := asciiAddress(m.ReplyTo.Address)
		if err != nil {
			return nil, fmt.Errorf("reply address: %w", err)
		}
		if isASCII(reply) { // otherwise the message would need SMTPUTF8 only for it
			w.ReplyToMailAddress(&netmail.Address{Name: cleanHeader(m.ReplyTo.Name), Address: reply})
		}
	}
	w.Subject(cleanHeader(m.Subject))
	w.SetMessageIDWithValue(m.ID)
	w.SetDateWithValue(now)
	w.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834 §5.2: no automatic replies
	for name, value := range m.Headers {
		if !headerName().MatchString(name) || own[strings.ToLower(name)] {
			return nil, fmt.Errorf("header %q may not be set", name)
		}
		w.SetGenHeader(mail.Header(name), cleanHeader(value))
	}
	w.SetBodyString(mail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		w.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	}
	for _, a := range m.Inline {
		if err := checkAttachment(a); err != nil {
			return nil, err
		}
		if err := w.EmbedReader(a.Name, bytes.NewReader(a.Bytes), mail.WithFileContentType(mail.ContentType(a.Type)),
			mail.WithFileContentID("<"+a.Name+">")); err != nil {
			return nil, fmt.Errorf("embed %s: %w", a.Name, err)
		}
	}
	for _, a := range m.Attachments {
		a.Name = cleanHeader(a.Name)
		if !mediaType().MatchString(a.Type) {
			return nil, fmt.Errorf("attachment has the malformed type %q", a.Type)
		}
		if err := w.AttachReader(a.Name, bytes.NewReader(a.Bytes), mail.WithFileContentType(mail.ContentType(a.Type))); err != nil {
			return nil, fmt.Errorf("attach %s: %w", a.Name, err)
		}
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return b.Bytes(), nil
}

// checkAttachment checks an inline picture, whose name is its Content-ID.
func checkAttachment(a notify.Attachment) error {
	if !inlineName().MatchString(a.Name) || !mediaType().MatchString(a.Type) {
		return fmt.Errorf("inline picture has the malformed name %q or type %q", a.Name, a.Type)
	}
	return nil
}

// cleanHeader returns s on one line and without control characters, so that it cannot begin another header.
func cleanHeader(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// asciiAddress returns an address with its domain in ASCII. The part before the @ is as it was given.
func asciiAddress(s string) (string, error) {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || !utf8.ValidString(s) || len(s) > 320 || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) || strings.ContainsRune("<>,;:\"()[]\\", r)
	}) || strings.Contains(s[:at], "@") {
		return "", errAddress
	}
	domain, err := idna.Lookup.ToASCII(s[at+1:])
	if err != nil || domain == "" {
		return "", errAddress
	}
	return s[:at+1] + domain, nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
