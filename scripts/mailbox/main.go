// Command mailbox is a mail server for tests in a browser: it accepts every mail after STARTTLS and lists what it accepted.
//
//	mailbox -folder DIR
//
// It writes its certificate to DIR/certificate.pem, and prints its address and that of the list, http://…/mails, on one line.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// received is a mail as the list shows it.
type received struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
}

type mailbox struct {
	mu    sync.Mutex // guards mails
	mails []received
}

func main() {
	folder := flag.String("folder", ".", "where to write the certificate")
	flag.Parse()
	if err := serve(*folder); err != nil {
		log.Fatal(err)
	}
}

func serve(folder string) error {
	certificate, err := makeCertificate(folder)
	if err != nil {
		return err
	}
	mails, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	list, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	box := &mailbox{mails: []received{}}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{box: box, conn: c}, nil }))
	server.Domain, server.TLSConfig = "localhost", &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /mails", func(w http.ResponseWriter, _ *http.Request) {
		box.mu.Lock()
		defer box.mu.Unlock()
		_ = json.NewEncoder(w).Encode(box.mails)
	})
	fmt.Println(mails.Addr(), "http://"+list.Addr().String()+"/mails")
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(mails) }()
	go func() { failed <- http.Serve(list, mux) }()
	return <-failed
}

// makeCertificate makes a certificate for localhost and writes it where the service that sends mail can be told to trust it.
func makeCertificate(folder string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(filepath.Join(folder, "certificate.pem"), encoded, 0o644)
}

type session struct {
	box  *mailbox
	conn *smtp.Conn
	to   string
}

func (s *session) Mail(string, *smtp.MailOptions) error {
	if _, protected := s.conn.TLSConnectionState(); !protected {
		return &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "must issue STARTTLS first"}
	}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error { s.to = to; return nil }
func (s *session) Reset()                                    {}
func (s *session) Logout() error                             { return nil }

func (s *session) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		return err
	}
	text, err := readText(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body)
	if err != nil {
		return err
	}
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.box.mails = append(s.box.mails, received{s.to, subject, text})
	return nil
}

// readText returns the first part of a message that is plain text.
func readText(contentType, encoding string, body io.Reader) (string, error) {
	kind, args, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(kind, "multipart/") {
		for parts := multipart.NewReader(body, args["boundary"]); ; {
			p, err := parts.NextRawPart()
			if errors.Is(err, io.EOF) {
				return "", nil
			}
			if err != nil {
				return "", err
			}
			text, err := readText(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p)
			if text != "" || err != nil {
				return text, err
			}
		}
	}
	if kind != "text/plain" {
		return "", nil
	}
	if strings.EqualFold(encoding, "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	b, err := io.ReadAll(body)
	return string(b), err
}
