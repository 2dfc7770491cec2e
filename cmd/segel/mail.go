package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"segel/internal/config"
	"segel/internal/contract"
	"segel/internal/monitor"
	"segel/internal/notify"
	"segel/internal/notify/compose"
	"segel/internal/notify/smtp"
	"segel/internal/outbound"
	"segel/internal/store"
	"segel/internal/text"
)

// wireMail connects the delivery of messages. Without a mail server they are kept.
func (a *app) wireMail() error {
	observe, err := monitor.CountNotices(a.metrics)
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	a.notices = &notify.Service{
		Store: a.store, Composer: compose.Composer{}, Links: a.identity, Accounts: a.identity, Files: a.workflow, From: mail.Address{Address: a.conf.MailFrom},
		Senders: map[contract.OrganisationID]string{}, PublicURL: a.conf.BaseURL(), Language: text.Language(a.conf.MailLanguage), Clock: a.clock, Log: a.log, Observe: observe,
	}
	for organisation, address := range a.conf.MailFromByOrganisation {
		a.notices.Senders[contract.OrganisationID(organisation)] = address
	}
	if a.conf.MailBounces != "" {
		address, _ := contract.ParseEmail(a.conf.MailBounces) // in ASCII, as mails come back to it; the configuration was checked
		a.notices.Bounces = &notify.BounceAddresses{Address: address, Key: a.derived[bouncesPurpose]}
	}
	if len(a.conf.MailServers) == 0 {
		return nil
	}
	sender, servers, err := newMailSender(a.conf)
	if err != nil {
		return err
	}
	a.notices.Sender = sender
	a.notices.Lease = time.Duration(len(servers))*a.conf.MailTimeout + time.Minute
	return nil
}

// parseMailServers returns the configured mail servers, or every problem with them. Its errors do not show passwords.
func parseMailServers(conf config.Config) (servers []smtp.Server, err error) {
	var bad []error
	for i, address := range conf.MailServers {
		s, err := smtp.ParseServer(address)
		if err != nil {
			bad = append(bad, fmt.Errorf("SEGEL_MAIL_SERVERS: number %d: %w", i+1, err))
		}
		servers = append(servers, s)
	}
	return servers, errors.Join(bad...)
}

// newMailSender returns what sends mail through the configured servers, and these.
func newMailSender(conf config.Config) (*smtp.Sender, []smtp.Server, error) {
	servers, err := parseMailServers(conf)
	if err != nil {
		return nil, nil, err
	}
	o := smtp.Options{Servers: servers, Timeout: conf.MailTimeout, Name: helloName(conf)}
	reach := outbound.Options{Ports: []uint16{}, Allowed: prefixesOf(conf.OutboundPrivate)}
	for _, s := range servers {
		if !slices.Contains(reach.Ports, s.Port) {
			reach.Ports = append(reach.Ports, s.Port)
		}
	}
	o.Dial = outbound.NewDialer(reach)
	sender, err := smtp.New(o)
	if err != nil {
		return nil, nil, fmt.Errorf("mail servers: %w", err)
	}
	return sender, o.Servers, nil
}

// helloName returns how the service introduces itself to mail servers (RFC 5321 §4.1.1.1): with the host of the public address. Empty: there is none,
// and it introduces itself as localhost, which some servers refuse.
func helloName(conf config.Config) string {
	u, err := url.Parse(conf.PublicURL)
	if err != nil {
		return ""
	}
	host := u.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip = ip.Unmap().WithZone(""); ip.Is6() {
			return "[IPv6:" + ip.String() + "]"
		}
		return "[" + ip.String() + "]"
	}
	return host
}

type mailCommand struct {
	List   mailListCommand   `cmd:"" help:"List messages, the newest first."`
	Show   mailShowCommand   `cmd:"" help:"Print a message with its link. For a guest, the audit log says that the operator handed the link out."`
	Bounce mailBounceCommand `cmd:"" help:"Read a returned mail (RFC 3464) from standard input, as the mail server of SEGEL_MAIL_BOUNCES passes it on, and record that the message was not delivered."`
	Retry  mailRetryCommand  `cmd:"" help:"Send a message again that failed, was kept or was dropped."`
}

type mailListCommand struct {
	dataFlag
	Document contract.DocumentID  `help:"Only messages about this document." placeholder:"N"`
	Status   contract.NoticeState `enum:",ordered,sent,kept,dropped,failed" default:"" help:"Only messages with this status: ordered, sent, kept, dropped or failed."`
	Limit    int                  `default:"50" help:"How many at most."`
}

func (c mailListCommand) Run(w *environment) error {
	return c.withApp(w, reading, func(a *app) error {
		found, err := a.notices.List(w.ctx, contract.Actor{}, store.NoticeQuery{Document: c.Document, State: c.Status, Limit: c.Limit})
		if err != nil {
			return plainError(err)
		}
		t := tabwriter.NewWriter(w.stdout, 0, 8, 2, ' ', 0)
		fmt.Fprintln(t, "id\tordered\tdocument\tkind\tchannel\tstatus\ttries\taddress\tproblem")
		for _, n := range found.Notices {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\n", n.ID, n.OrderedAt.UTC().Format(time.RFC3339), n.Document, n.Kind, cmp.Or(n.Channel, "mail"), n.State, n.Tries, n.Address,
				text.ReasonForOperator(text.English, n.Problem))
		}
		return t.Flush()
	})
}

type mailShowCommand struct {
	dataFlag
	ID contract.NoticeID `arg:"" help:"The message, as segel mail list names it."`
}

func (c mailShowCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		_, m, err := a.notices.Show(w.ctx, commandLineActor("mail show"), c.ID)
		if err != nil {
			return plainError(err)
		}
		subject := ""
		if m.Subject != "" { // text messages have none
			subject = "Subject: " + m.Subject + "\n"
		}
		_, err = fmt.Fprintf(w.stdout, "To: %s\n%s\n%s\n", m.Recipient(), subject, m.Text)
		return err
	})
}

type mailBounceCommand struct {
	dataFlag
	To string `help:"The address to which the mail came, if the mail server knows it. Without it, the headers X-Original-To, Delivered-To and To say so." placeholder:"ADDRESS"`
}

// exitTryLater makes a mail server keep a mail and run the command again (EX_TEMPFAIL of sysexits).
const exitTryLater = exitStatus(75)

// Run ends with 0 for mails about which nothing is to be done: a mail server would return another exit status to their senders.
func (c mailBounceCommand) Run(w *environment) error {
	b, err := smtp.ReadBounce(w.stdin)
	if errors.Is(err, smtp.ErrNoBounce) {
		fmt.Fprintf(w.stderr, "nothing was recorded: %v\n", err)
		return nil
	}
	if err != nil {
		fmt.Fprintf(w.stderr, "segel: read the mail: %v\n", err)
		return exitTryLater
	}
	if c.To != "" {
		b.To = []string{c.To}
	}
	err = c.withApp(w, writing, func(a *app) error {
		n, err := a.notices.TakeBounce(w.ctx, b)
		switch {
		case errors.Is(err, contract.ErrNoNotice):
			fmt.Fprintln(w.stderr, "nothing was recorded: it is about no message of this service, or about one that was sent to another address since")
			return nil
		case err != nil:
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "message %s is %s\n", n.ID, n.State)
		return err
	})
	if err != nil {
		fmt.Fprintf(w.stderr, "segel: %v\n", err)
		return exitTryLater
	}
	return nil
}

type mailRetryCommand struct {
	dataFlag
	ID contract.NoticeID `arg:"" help:"The message, as segel mail list names it."`
}

func (c mailRetryCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		n, err := a.notices.Retry(w.ctx, commandLineActor("mail retry"), c.ID)
		if err != nil {
			return plainError(err)
		}
		_, err = fmt.Fprintf(w.stdout, "message %s is %s\n", n.ID, n.State)
		return err
	})
}
