package smtp

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"segel/internal/notify"
)

// postfixBounce is a notification as Postfix writes it, with the line of a mailbox before it.
const postfixBounce = "From MAILER-DAEMON  Tue Nov 24 03:00:00 2026\n" + `Return-Path: <>
X-Original-To: bounces+abc@example.id
Delivered-To: bounces@example.id
Date: Tue, 24 Nov 2026 03:00:00 +0000
From: MAILER-DAEMON@mail.example.id (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: bounces+abc@example.id
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="A.1/mail.example.id"

This is a MIME-encapsulated message.

--A.1/mail.example.id
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--A.1/mail.example.id
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.id
X-Postfix-Queue-ID: 4F1
Arrival-Date: Tue, 24 Nov 2026 02:59:00 +0000

Final-Recipient: rfc822; budi@example.com
Original-Recipient: rfc822;budi@example.com
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.com
Diagnostic-Code: smtp; 550 5.1.1 <budi@example.com>: Recipient address
    rejected: User unknown

--A.1/mail.example.id
Content-Type: text/rfc822-headers

From: segel@example.id

--A.1/mail.example.id--
`

// withStatus returns a notification with another part about the delivery.
func withStatus(part string) string {
	begin, end := strings.Index(postfixBounce, "Content-Type: message/delivery-status"), strings.LastIndex(postfixBounce, "--A.1/mail.example.id\nContent-Type: text/rfc822")
	return postfixBounce[:begin] + part + "\n" + postfixBounce[end:]
}

func TestANotificationSaysWhatBecameOfAMail(t *testing.T) {
	t.Parallel()
	status := "Content-Type: message/delivery-status\n\n"
	for name, c := range map[string]struct {
		mail   string
		failed bool
		reason string
	}{
		"refused":           {postfixBounce, true, "550 5.1.1 <budi@example.com>: Recipient address rejected: User unknown"},
		"with CRLF":         {strings.ReplaceAll(postfixBounce, "\n", "\r\n"), true, "550 5.1.1 <budi@example.com>: Recipient address rejected: User unknown"},
		"delayed":           {withStatus(status + "Reporting-MTA: dns; a\n\nAction: delayed\nStatus: 4.4.1\n"), false, ""},
		"delivered":         {withStatus(status + "Reporting-MTA: dns; a\n\nAction: delivered\nStatus: 2.0.0\n"), false, ""},
		"without words":     {withStatus(status + "Reporting-MTA: dns; a\n\nACTION: Failed\nStatus: 5.2.2 (full)\n"), true, "5.2.2"},
		"without a status":  {withStatus(status + "Reporting-MTA: dns; a\n\nAction: failed\n"), true, "the message was returned"},
		"words without one": {withStatus(status + "Reporting-MTA: dns; a\n\nAction: failed\nStatus: 5.4.4\nDiagnostic-Code: X-Local; host\tnot found\n"), true, "5.4.4 host not found"},
		"the second fails":  {withStatus(status + "Reporting-MTA: dns; a\n\nAction: relayed\n\nAction: failed\nStatus: 5.0.0\n"), true, "5.0.0"},
		"in Base64": {withStatus("Content-Type: message/global-delivery-status\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString([]byte("Reporting-MTA: dns; a\n\nAction: failed\nStatus: 5.1.2\n"))), true, "5.1.2"},
		"no group": {withStatus(status), false, ""},
	} {
		b, err := ReadBounce(strings.NewReader(c.mail))
		if err != nil || b.Failed != c.failed || b.Reason != c.reason {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
		if want := []string{"bounces+abc@example.id", "bounces@example.id", "bounces+abc@example.id"}; !slices.Equal(b.To, want) {
			t.Errorf("%s: it came to %q", name, b.To)
		}
	}
}

func TestAnotherMailIsNoNotification(t *testing.T) {
	t.Parallel()
	for name, mail := range map[string]string{
		"empty":              "",
		"no header":          "Halo",
		"a reply":            "To: bounces+abc@example.id\nSubject: Out of office\n\nI am away.\n",
		"a read receipt":     strings.Replace(postfixBounce, "report-type=delivery-status", "report-type=disposition-notification", 1),
		"no part about it":   strings.Replace(postfixBounce, "message/delivery-status", "text/plain", 1),
		"no boundary":        strings.Replace(postfixBounce, `boundary="A.1/mail.example.id"`, "x=y", 1),
		"hundreds of parts":  strings.Replace(postfixBounce, "--A.1/mail.example.id\n", strings.Repeat("--A.1/mail.example.id\n\nx\n", 300)+"--A.1/mail.example.id\n", 1),
		"another media type": strings.Replace(postfixBounce, "multipart/report", "multipart/mixed", 1),
	} {
		if b, err := ReadBounce(strings.NewReader(mail)); !errors.Is(err, ErrNoBounce) {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
	if _, err := ReadBounce(strings.NewReader(postfixBounce + strings.Repeat("x", maxBounce))); !errors.Is(err, errBounceLarge) {
		t.Errorf("a large one: %v", err)
	}
}

func TestLongHeadersOfANotificationAreNotParsed(t *testing.T) {
	t.Parallel()
	long := strings.Replace(postfixBounce, "\nTo: ", "\nTo: "+strings.Repeat("(", 1<<20), 1)
	if b, err := ReadBounce(strings.NewReader(long)); err != nil || !b.Failed || len(b.To) != 2 {
		t.Errorf("%d addresses, %v", len(b.To), err)
	}
	long = strings.Replace(postfixBounce, "multipart/report;", "multipart/report;"+strings.Repeat(" a=b;", 1<<18), 1)
	if _, err := ReadBounce(strings.NewReader(long)); !errors.Is(err, ErrNoBounce) {
		t.Errorf("a long type: %v", err)
	}
}

func FuzzANotificationIsReadOrRefused(f *testing.F) {
	f.Add(postfixBounce)
	f.Add(withStatus("Content-Type: message/delivery-status\n\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp;\n"))
	f.Add("Content-Type: multipart/report; report-type=delivery-status; boundary=a\n\n--a\n\n--a--")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := ReadBounce(strings.NewReader(s))
		if err != nil && (b.Failed || b.Reason != "") {
			t.Errorf("%+v beside %v", b, err)
		}
		if len(b.To) > maxBounceTo || len(b.Reason) > maxReason || !utf8.ValidString(b.Reason) || strings.ContainsFunc(b.Reason, unicode.IsControl) || b.Failed && b.Reason == "" {
			t.Errorf("%+v", b)
		}
	})
}

func TestTheEnvelopeSenderIsNotTheAddressInTheHeader(t *testing.T) {
	t.Parallel()
	b := startServer(t, Unprotected, &backend{authDone: true})
	server := b.Server
	server.User, server.Password = testUser, testPassword
	m := sampleMessage()
	m.Envelope = "bounces+abc@example.id"
	if err := newSender(t, trust(b), server).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := b.deliveries(); len(got) != 1 || got[0].from != m.Envelope {
		t.Errorf("%+v", got)
	}
	m.Envelope = "no address"
	var refused *notify.Refusal
	if err := newSender(t, trust(b), server).Send(t.Context(), m); !errors.As(err, &refused) || refused.Recipient {
		t.Errorf("%v", err)
	}
}
