package smtp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestServersAreReadFromURLs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Server{
		"smtp://mail.example.id":                            {Host: "mail.example.id", Port: 587},
		"smtp://u:s3cret@mail.example.id:2525?tls=required": {Host: "mail.example.id", Port: 2525, User: "u", Password: "s3cret"},
		"smtp://10.0.0.1:25?tls=none":                       {Host: "10.0.0.1", Port: 25, Security: Unprotected},
		"smtps://u%40x.id:p%2F%3A%40@[2001:db8::1]":         {Host: "2001:db8::1", Port: 465, User: "u@x.id", Password: "p/:@", Security: ImplicitTLS},
		"smtps://mail.example.id:465/":                      {Host: "mail.example.id", Port: 465, Security: ImplicitTLS},
		"smtps://mail.example.id:10465?tls=required":        {Host: "mail.example.id", Port: 10465, Security: ImplicitTLS},
		"smtp://apikey:SG.abc_-x@smtp.sendgrid.example":     {Host: "smtp.sendgrid.example", Port: 587, User: "apikey", Password: "SG.abc_-x"},
	} {
		got, err := ParseServer(in)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
		if want.Password != "" && strings.Contains(fmt.Sprintf("%v %+v %#v", got, got, got), want.Password) {
			t.Errorf("%s: the printed server shows its password: %v %+v %#v", in, got, got, got)
		}
	}
}

func TestErrorsOfURLsNeverShowThePassword(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", "mail.example.id", "http://u:s3cret@host", "smtp://u:s3cret@", "smtp://u:s3cret@host:0", "smtp://u:s3cret@host:70000",
		"smtp://u:s3cret@host:port", "smtp://u:s3cret@host/path", "smtp://u:s3cret@host#f", "smtp://u:s3cret@host?tls=optional",
		"smtp://u:s3cret@host?tls=none&tls=required", "smtp://u:s3cret@host?x=s3cret", "smtps://u:s3cret@host?tls=none", "smtp://:s3cret@host",
		"smtp://u@host", "smtp://u:s3cret%zz@host", "smtp://u:s3cret#x@host", "smtp://u:s3cret@ho st", "smtp://u:s3cret@host\r\nx", "smtp:u:s3cret@host",
		"smtp://u:s3cret@host?tls=%zz", "smtp://" + strings.Repeat("s3cret", 1000) + "@host",
	} {
		_, err := ParseServer(in)
		if !errors.Is(err, ErrServer) {
			t.Errorf("%q: %v", in, err)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: the error shows the password: %v", in, err)
		}
	}
}

func FuzzServerIsReadOrRefusedWithoutItsPassword(f *testing.F) {
	f.Add("smtp://user:password@mail.example.id:587?tls=required")
	f.Add("smtps://mail.example.id:465")
	f.Add("smtp://u:p%40@[::1]:25?tls=none")
	f.Add("smtp://u:p#@h")
	f.Fuzz(func(t *testing.T, s string) {
		const secret = "Zq9xSecret"
		for _, in := range []string{s, "smtp://u:" + secret + s} {
			server, err := ParseServer(in)
			if err != nil {
				if strings.Contains(err.Error(), secret) {
					t.Fatalf("%q: %v", in, err)
				}
				continue
			}
			if server.Host == "" || server.Port == 0 || strings.ContainsAny(server.Host, "\r\n /@") || (server.User == "") != (server.Password == "") {
				t.Fatalf("%q: host %q, port %d", in, server.Host, server.Port)
			}
		}
	})
}
