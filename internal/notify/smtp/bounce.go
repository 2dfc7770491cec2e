package smtp

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"regexp"
	"strings"

	"segel/internal/notify"
)

// Limits of a notification.
const (
	maxBounce      = 4 << 20 // bytes: it may contain the whole message
	maxBounceParts = 20
	maxBounceTo    = 20
	maxBounceLine  = 4000 // bytes of a header that is parsed
	maxRecipients  = 100
)

// Errors of notifications.
var (
	ErrNoBounce    = errors.New("not a delivery status notification")
	errBounceLarge = fmt.Errorf("%w of at most %d bytes", ErrNoBounce, maxBounce)
)

// ReadBounce reads a delivery status notification (RFC 3464) as a mail server passes it on. It returns [ErrNoBounce] for another message, such as
// an automatic reply, and errors of r.
func ReadBounce(r io.Reader) (notify.Bounce, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBounce+1))
	if err != nil {
		return notify.Bounce{}, err
	}
	if len(raw) > maxBounce {
		return notify.Bounce{}, errBounceLarge
	}
	if bytes.HasPrefix(raw, []byte("From ")) { // programs that deliver to a pipe put the line of a mailbox before the message
		_, raw, _ = bytes.Cut(raw, []byte("\n"))
	}
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return notify.Bounce{}, ErrNoBounce
	}
	kind, params, err := parseType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/report" || !strings.EqualFold(params["report-type"], "delivery-status") {
		return notify.Bounce{}, ErrNoBounce
	}
	b := notify.Bounce{To: recipientsOf(m.Header)}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for range maxBounceParts {
		part, err := parts.NextRawPart()
		if err != nil {
			break
		}
		kind, _, err := parseType(part.Header.Get("Content-Type"))
		if err != nil || kind != "message/delivery-status" && kind != "message/global-delivery-status" {
			continue
		}
		readStatus(decodePart(part), &b)
		return b, nil
	}
	return notify.Bounce{}, ErrNoBounce
}

func parseType(header string) (kind string, params map[string]string, err error) {
	if len(header) > maxBounceLine {
		return "", nil, ErrNoBounce
	}
	return mime.ParseMediaType(header)
}

// recipientsOf returns the addresses to which a message was delivered.
func recipientsOf(h netmail.Header) (all []string) {
	for _, name := range []string{"X-Original-To", "Delivered-To", "To"} {
		for _, line := range h[textproto.CanonicalMIMEHeaderKey(name)] {
			if len(line) > maxBounceLine {
				continue
			}
			addresses, err := netmail.ParseAddressList(line)
			if err != nil {
				continue
			}
			for _, a := range addresses {
				if len(all) == maxBounceTo {
					return all
				}
				all = append(all, a.Address)
			}
		}
	}
	return all
}

func decodePart(p *multipart.Part) io.Reader {
	switch strings.ToLower(strings.TrimSpace(p.Header.Get("Content-Transfer-Encoding"))) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, p)
	case "quoted-printable":
		return quotedprintable.NewReader(p)
	}
	return p
}

// statusCode is the status of RFC 3463.
var statusCode = regexp.MustCompile(`^[245]\.[0-9]{1,3}\.[0-9]{1,3}`)

// readStatus reads the groups of fields of a message/delivery-status: one about the message, and one for each recipient.
func readStatus(r io.Reader, b *notify.Bounce) {
	fields := textproto.NewReader(bufio.NewReader(r))
	for range maxRecipients {
		group, err := fields.ReadMIMEHeader()
		if !b.Failed && strings.EqualFold(strings.TrimSpace(group.Get("Action")), "failed") {
			b.Failed, b.Reason = true, describeFailure(group)
		}
		if err != nil {
			return
		}
	}
}

// describeFailure returns status and words of the server on one line, as refusals during the delivery have them.
func describeFailure(group textproto.MIMEHeader) string {
	words := group.Get("Diagnostic-Code")
	if _, rest, found := strings.Cut(words, ";"); found { // behind the type, such as smtp
		words = rest
	}
	words = cleanHeader(words)
	status := statusCode.FindString(strings.TrimSpace(group.Get("Status")))
	if words == "" || !strings.Contains(words, status) {
		words = strings.TrimSpace(status + " " + words)
	}
	if len(words) > maxReason {
		words = strings.ToValidUTF8(words[:maxReason], "")
	}
	if words == "" {
		return "the message was returned"
	}
	return words
}
