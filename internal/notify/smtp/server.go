package smtp

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Security is how a connection is protected. The zero value is the default.
type Security int

// The kinds of protection.
const (
	StartTLS    Security = iota // the connection is upgraded to TLS, or nothing is sent
	ImplicitTLS                 // TLS from the first byte
	Unprotected                 // no TLS; only for a network that the operator trusts
)

// Server is a mail server that accepts messages for delivery.
type Server struct {
	Host           string
	Port           uint16
	User, Password string // empty: no authentication
	Security       Security
}

// String describes the server without its credentials.
func (s Server) String() string { return net.JoinHostPort(s.Host, strconv.Itoa(int(s.Port))) }

// GoString keeps the password out of logs too.
func (s Server) GoString() string { return s.String() }

// ErrServer is the error of [ParseServer]. It never shows the URL, which has a password.
var ErrServer = errors.New("mail server")

// maxURL bounds the URLs that are parsed, in bytes.
const maxURL = 2000

// ParseServer parses the URL of a server:
//
//	smtp://user:password@host:587             STARTTLS is required; the port is 587 by default
//	smtp://host:25?tls=none                   without TLS
//	smtps://user:password@host:465            implicit TLS; the port is 465 by default
//
// Special characters in user and password are percent-encoded.
func ParseServer(s string) (Server, error) {
	if len(s) > maxURL {
		return Server{}, fmt.Errorf("%w: URL is longer than %d bytes", ErrServer, maxURL)
	}
	u, err := url.Parse(s)
	if err != nil { // err shows the URL
		return Server{}, fmt.Errorf("%w: not a URL such as smtp://user:password@host:587; encode special characters of the password, @ as %%40", ErrServer)
	}
	server := Server{Host: u.Hostname(), Port: 587}
	switch u.Scheme {
	case "smtp":
	case "smtps":
		server.Port, server.Security = 465, ImplicitTLS
	default:
		return Server{}, fmt.Errorf("%w: scheme is neither smtp nor smtps", ErrServer)
	}
	if !validHost(server.Host) || u.Opaque != "" {
		return Server{}, fmt.Errorf("%w: no valid host", ErrServer)
	}
	if u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return Server{}, fmt.Errorf("%w: path or fragment after the host", ErrServer)
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return Server{}, fmt.Errorf("%w: port is not between 1 and 65535", ErrServer)
		}
		server.Port = uint16(n)
	}
	if err := server.readQuery(u.RawQuery); err != nil {
		return Server{}, err
	}
	if u.User != nil {
		server.User = u.User.Username()
		server.Password, _ = u.User.Password()
		if server.User == "" || server.Password == "" || strings.ContainsRune(server.User+server.Password, 0) {
			return Server{}, fmt.Errorf("%w: user or password is missing", ErrServer)
		}
	}
	return server, nil
}

// readQuery reads the parameter tls.
func (s *Server) readQuery(query string) error {
	q, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("%w: parameters cannot be read", ErrServer)
	}
	for name, values := range q {
		if name != "tls" || len(values) != 1 {
			return fmt.Errorf("%w: the only parameter is tls, once", ErrServer)
		}
		switch {
		case values[0] == "required":
		case values[0] == "none" && s.Security == StartTLS:
			s.Security = Unprotected
		default:
			return fmt.Errorf("%w: tls is required, or none with smtp", ErrServer)
		}
	}
	return nil
}

// validHost reports whether s can be a name or an address of a server.
func validHost(s string) bool {
	if s == "" || len(s) > 255 {
		return false
	}
	return net.ParseIP(s) != nil || !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
