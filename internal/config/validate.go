package config

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/net/idna"

	"segel/internal/contract"
)

var segmentPattern = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// Validate checks the configuration as a whole and returns every problem. Each starts with the name of its variable.
func (c Config) Validate() error {
	var v problems
	v.addIf(c.DataDir == "", "DATA_DIR", "must name a folder")
	for _, role := range c.Roles {
		v.addIf(!slices.Contains(allRoles, role), "ROLE", fmt.Sprintf("%q is not a role; there are %s", role, strings.Join(allRoles, ", ")))
	}
	v.checkListen("LISTEN", c.Listen)
	if c.ListenHTTP != "" {
		v.checkListen("LISTEN_HTTP", c.ListenHTTP)
	}
	v.checkURL("PUBLIC_URL", c.PublicURL)
	v.addIf(strings.HasSuffix(c.PublicURL, "/"), "PUBLIC_URL", "must not end in a slash")
	if strings.ContainsFunc(c.PublicURL, func(r rune) bool { return r > unicode.MaxASCII }) {
		host, _ := idna.Lookup.ToASCII(c.publicHost()) // empty if it is not a name
		v.addProblem("PUBLIC_URL", "must be in ASCII, because certificates and mails state it; the host is %q then", host)
	}
	if c.Database != "" {
		// The value holds a password, so neither it nor the parser's words about it are repeated.
		u, err := url.Parse(c.Database)
		v.addIf(err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql", "DATABASE", "must be a PostgreSQL URL, or empty for SQLite")
	}
	for _, o := range c.CORSOrigins {
		if o != "*" {
			v.checkOrigin(o)
		}
	}
	v.addIf(c.ServiceSegment != "" && !segmentPattern.MatchString(c.ServiceSegment), "SERVICE_SEGMENT",
		"must be one path segment of letters, digits and . _ ~ -")
	for from, to := range c.Paths {
		v.addIf(!strings.HasPrefix(from, "/") || !strings.HasPrefix(to, "/v1/"), "PATHS",
			fmt.Sprintf("%q=%q must be a path from / and the path below /v1/ it leads to", from, to))
	}
	v.addIf(c.Migrate != MigrateAuto && c.Migrate != MigrateOff, "MIGRATE", "must be auto or off")
	v.addIf(c.LogFormat != "text" && c.LogFormat != "json", "LOG_FORMAT", "must be text or json")
	v.addIf(c.Organisation == "", "ORGANISATION", "must not be empty")
	_, code := contract.ParseEmail(c.AdminEmail)
	v.addIf(code != "", "ADMIN_EMAIL", "must be an e-mail address")
	v.addIf(c.Evidence != EvidenceAtCompletion && c.Evidence != EvidenceOnRequest, "EVIDENCE", "must be completion or request")
	v.checkACME(c)
	v.checkBlobs(c)
	v.checkState(c)
	v.checkMail(c)
	v.checkPhone(c)
	v.checkTrust(c)
	v.checkStampOffice(c)
	v.checkConvert(c)
	v.checkTraces(c)
	v.checkBounds(c)
	v.checkContradictions(c)
	return errors.Join(v...)
}

type problems []error

func (v *problems) addProblem(name, format string, args ...any) {
	*v = append(*v, fmt.Errorf("%s%s: "+format, append([]any{envPrefix, name}, args...)...))
}

func (v *problems) addIf(bad bool, name, what string) {
	if bad {
		v.addProblem(name, "%s", what)
	}
}

func (v *problems) checkListen(name, address string) {
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
		v.addProblem(name, "%q is not an address; write it such as 127.0.0.1:8080 or :8080", address)
	}
}

func (v *problems) checkURL(name, s string) {
	if s == "" {
		return
	}
	u, err := url.Parse(s)
	if err != nil || !isHTTP(u) {
		v.addProblem(name, "must be an address such as https://example.com")
		return
	}
	v.addIf(u.User != nil, name, "must not hold a password")
	v.addIf(u.RawQuery != "" || u.Fragment != "", name, "must have neither a query nor a fragment")
}

func isHTTP(u *url.URL) bool { return u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") }

// hostPattern matches a name in DNS. A wildcard needs a challenge over DNS, which is not answered.
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)

// checkACME checks the settings of the server that issues the certificate of the listener.
func (v *problems) checkACME(c Config) {
	if c.ACMEDirectory == "" {
		return
	}
	u, err := url.Parse(c.ACMEDirectory)
	v.addIf(err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil, "ACME_DIRECTORY", "must be an address with https such as https://acme-v02.api.letsencrypt.org/directory")
	if c.ACMEEmail != "" {
		_, code := contract.ParseEmail(c.ACMEEmail)
		v.addIf(code != "", "ACME_EMAIL", "must be an e-mail address")
	}
	for _, h := range c.ACMEHosts {
		v.addIf(!hostPattern.MatchString(h), "ACME_HOSTS", fmt.Sprintf("%q is not the name of a host", h))
	}
	_, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(c.ACMEBindingKey, "="))
	v.addIf(err != nil, "ACME_BINDING_KEY", "must be base64url")
}

// checkState checks where keys are kept, and where the key comes from that encrypts them.
func (v *problems) checkState(c Config) {
	v.addIf(c.State != StateFolder && c.State != StateDatabase, "STATE", "must be folder or database")
	for _, s := range []struct{ prefix, key, command string }{
		{"", c.MasterKey, c.MasterKeyCommand},
		{"FORMER_", c.FormerMasterKey, c.FormerMasterKeyCommand},
	} {
		if s.key != "" {
			key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(s.key))
			v.addIf(err != nil || len(key) != 32, s.prefix+"MASTER_KEY", "must be base64 of 32 bytes")
		}
		v.addIf(s.command != "" && !strings.HasPrefix(strings.TrimSpace(s.command), "/"), s.prefix+"MASTER_KEY_COMMAND", "must begin with the whole path of a program")
	}
}

// The names of a bucket and the prefix of a store. S3 permits more in a prefix; these need no escaping anywhere.
var (
	bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixPattern = regexp.MustCompile(`^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*$`)
)

func (v *problems) checkTraces(c Config) {
	_, err := c.ParseTraceHeaders()
	v.addIf(err != nil, "TRACE_HEADERS", `must be a JSON object of texts, such as {"Authorization": "Bearer abc"}`)
	if c.TraceEndpoint == "" {
		return
	}
	u, err := url.Parse(c.TraceEndpoint)
	if err != nil || !isHTTP(u) || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		v.addProblem("TRACE_ENDPOINT", "must be an address such as https://collector.example.com/v1/traces, without a user; TRACE_HEADERS has what the collector asks for")
		return
	}
	v.addIf(u.Scheme == "http" && len(c.TraceNetworks) == 0, "TRACE_ENDPOINT", "must be https, except for a collector in a network of TRACE_NETWORKS")
}

// ParseTraceHeaders returns the header fields of requests to the collector of traces.
func (c Config) ParseTraceHeaders() (fields map[string]string, err error) {
	if c.TraceHeaders == "" {
		return nil, nil
	}
	return fields, json.Unmarshal([]byte(c.TraceHeaders), &fields)
}

// checkBlobs checks the settings of the store of files.
func (v *problems) checkBlobs(c Config) {
	v.addIf(c.Blobs != BlobsFiles && c.Blobs != BlobsS3, "BLOBS", "must be files or s3")
	v.addIf(c.BlobsFrom != "" && c.BlobsFrom != BlobsFiles && c.BlobsFrom != BlobsS3, "BLOBS_FROM", "must be empty, files or s3")
	v.addIf(c.BlobsWrite != BlobsWriteNew && c.BlobsWrite != BlobsWriteFormer, "BLOBS_WRITE", "must be new or former")
	for name, folder := range map[string]string{"BLOBS_FOLDER": c.BlobsFolder, "BLOBS_FROM_FOLDER": c.BlobsFromFolder} {
		clean := filepath.Clean(folder)
		v.addIf(folder == "" || clean == "." || !filepath.IsAbs(folder) && !filepath.IsLocal(folder), name, "must be a folder below the data folder, or a whole path")
	}
	v.addIf(c.BlobEncryption != EncryptionOn && c.BlobEncryption != EncryptionOff, "BLOB_ENCRYPTION", "must be on or off")
	if !c.usesS3() {
		return
	}
	// An address may hold a password, so neither it nor the parser's words about it are repeated.
	u, err := url.Parse(c.S3Endpoint)
	if err != nil || !isHTTP(u) || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		v.addProblem("S3_ENDPOINT", "must be an address such as https://s3.example.com, without a path and a user")
	}
	v.addIf(!bucketPattern.MatchString(c.S3Bucket), "S3_BUCKET", "must be the name of a bucket")
	const prefixRule = "must be empty or end in a slash, such as segel/, with letters, digits and . _ - in between"
	v.addIf(!prefixPattern.MatchString(c.S3Prefix), "S3_PREFIX", prefixRule)
	v.addIf(!prefixPattern.MatchString(c.S3FromPrefix), "S3_FROM_PREFIX", prefixRule)
	v.addIf(c.S3Region == "", "S3_REGION", "must not be empty")
}

func (v *problems) checkMail(c Config) {
	for i, server := range c.MailServers {
		// A server may hold a password, so neither it nor the parser's words about it are repeated.
		u, err := url.Parse(server)
		if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
			v.addProblem("MAIL_SERVERS", "number %d is not a server; write it such as smtp://user:password@mail.example.com:587", i+1)
		}
	}
	if len(c.MailServers) > 0 || c.MailFrom != "" {
		_, code := contract.ParseEmail(c.MailFrom)
		v.addIf(code != "", "MAIL_FROM", "must be an e-mail address")
	}
	for organisation, address := range c.MailFromByOrganisation {
		_, code := contract.ParseEmail(address)
		v.addIf(code != "" || uuid.Validate(organisation) != nil, "MAIL_FROM_BY_ORGANISATION", "must be identifiers of organisations with e-mail addresses, such as 5c0e7b1a-93d2-4d0b-9a5e-7f6d3c2b1a00:segel@example.com")
	}
	if c.MailBounces != "" {
		// RFC 5321 §4.5.3.1.1: a local part has 64 characters at most.
		address, code := contract.ParseEmail(c.MailBounces)
		v.addIf(code != "" || strings.IndexByte(address, '@') > 64-1-42, "MAIL_BOUNCES", "must be an e-mail address with at most 21 characters before the @")
	}
	v.addIf(c.MailLanguage != "id" && c.MailLanguage != "en", "MAIL_LANGUAGE", "must be id or en")
}

func (v *problems) checkPhone(c Config) {
	for _, p := range []struct{ name, url, method string }{
		{"WHATSAPP", c.PhoneWhatsAppURL, c.PhoneWhatsAppMethod}, {"SMS", c.PhoneSMSURL, c.PhoneSMSMethod},
	} {
		if p.url == "" {
			continue
		}
		// An address may hold a key, so neither it nor the parser's words about it are repeated.
		u, err := url.Parse(p.url)
		v.addIf(err != nil || u.Hostname() == "" || !isHTTP(u) || u.User != nil || u.Fragment != "", "PHONE_"+p.name+"_URL", "must be an address such as https://provider.example.com/messages, without a user and a fragment")
		v.addIf(p.method != "POST" && p.method != "PUT", "PHONE_"+p.name+"_METHOD", "must be POST or PUT")
	}
}

func (v *problems) checkTrust(c Config) {
	for i, address := range c.TimestampURLs {
		// An address may hold a password, so neither it nor the parser's words about it are repeated.
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || !isHTTP(u) {
			v.addProblem("TIMESTAMP_URLS", "number %d is not an address; write it such as https://tsa.example.com/tsr", i+1)
		}
	}
	v.addIf(len(c.OutboundPorts) == 0 || slices.Contains(c.OutboundPorts, 0), "OUTBOUND_PORTS", "must be ports from 1 to 65535")
}

func (v *problems) checkOrigin(o string) {
	u, err := url.Parse(o)
	if err != nil || u.Scheme == "" || u.Host == "" || o != u.Scheme+"://"+u.Host {
		v.addProblem("CORS_ORIGINS", "%q is not an origin; write it such as https://app.example.com, without a path", o)
	}
}

// The values of Blobs.
const (
	BlobsFiles = "files"
	BlobsS3    = "s3"
)

// The values of State.
const (
	StateFolder   = "folder"
	StateDatabase = "database"
)

// The values of BlobEncryption.
const (
	EncryptionOn  = "on"
	EncryptionOff = "off"
)

// The values of BlobsWrite.
const (
	BlobsWriteNew    = "new"
	BlobsWriteFormer = "former"
)

// The values of Migrate.
const (
	MigrateAuto = "auto"
	MigrateOff  = "off"
)

// The values of Convert and ConvertUnfenced.
const (
	ConvertAuto        = "auto"
	ConvertOff         = "off"
	ConvertLibreOffice = "libreoffice"
	TrustEveryUploader = "i-trust-every-uploader"
)

// The roles of a process.
const (
	RoleAPI     = "api"
	RoleWorker  = "worker"
	RoleConvert = "convert"
)

var allRoles = []string{RoleAPI, RoleWorker, RoleConvert}

// HasRole reports whether the process has a role.
func (c Config) HasRole(role string) bool { return slices.Contains(c.Roles, role) }

// The values of Evidence.
const (
	EvidenceAtCompletion = "completion"
	EvidenceOnRequest    = "request"
)

// The values of PagePictures.
const (
	PicturesAuto    = "auto"
	PicturesOff     = "off"
	PicturesPoppler = "poppler"
)

func (v *problems) checkConvert(c Config) {
	switch c.Convert {
	case ConvertAuto, ConvertOff, ConvertLibreOffice:
	default:
		u, err := url.Parse(c.Convert)
		v.addIf(err != nil || !isHTTP(u), "CONVERT",
			"must be auto, libreoffice, off, or the URL of a Gotenberg service such as http://gotenberg:3000")
	}
	v.addIf(c.PagePictures != PicturesAuto && c.PagePictures != PicturesOff && c.PagePictures != PicturesPoppler, "PAGE_PICTURES", "must be auto, poppler or off")
	v.addIf(c.ConvertUnfenced != "" && c.ConvertUnfenced != TrustEveryUploader, "CONVERT_UNFENCED", "must be "+TrustEveryUploader+", or empty")
}

// checkStampOffice checks the settings of the stamp office.
func (v *problems) checkStampOffice(c Config) {
	v.checkURL("STAMP_LOGIN_URL", c.StampLoginURL)
	v.checkURL("STAMP_SERIAL_URL", c.StampSerialURL)
	v.checkURL("STAMP_CLOUD_URL", c.StampCloudURL)
	for _, u := range c.StampAdapters {
		v.checkURL("STAMP_ADAPTERS", u)
	}
	switch c.StampIdentity {
	case "", "KTP", "NPWP", "PASSPORT":
	default:
		v.addProblem("STAMP_IDENTITY", "must be KTP, NPWP or PASSPORT, or empty")
	}
	switch contract.EncryptedFiles(c.StampEncrypted) {
	case "", contract.EncryptedAny, contract.EncryptedUnrestricted, contract.EncryptedNone:
	default:
		v.addProblem("STAMP_ENCRYPTED", "must be any, unrestricted or none, or empty")
	}
	v.addIf(c.StampOffice != "sandbox" && !c.usesStampOffice(), "STAMP_OFFICE", "must be sandbox, adapter or cloud")
}

// checkBounds compares numbers and durations with the tags min and max of their settings.
func (v *problems) checkBounds(c Config) {
	values := reflect.ValueOf(c)
	for _, m := range listSettings() {
		switch value := values.Field(m.index).Interface().(type) {
		case int:
			if least, err := strconv.Atoi(m.min); err == nil && value < least {
				*v = append(*v, fmt.Errorf("%s: %d is too small; at least %d", m.name, value, least))
			}
			if most, err := strconv.Atoi(m.max); err == nil && value > most {
				*v = append(*v, fmt.Errorf("%s: %d is too large; at most %d", m.name, value, most))
			}
		case time.Duration:
			if least, err := time.ParseDuration(m.min); err == nil && value < least {
				*v = append(*v, fmt.Errorf("%s: %v is too short; at least %v", m.name, value, least))
			}
		}
	}
	v.addIf(c.MaxFile < 1<<10, "MAX_FILE", "must be at least 1KiB")
	v.addIf(c.LeastRate < 1, "LEAST_RATE", "must be at least 1")
	if c.ClockTolerance < time.Second || c.ClockTolerance > contract.MaxClockTolerance {
		v.addProblem("CLOCK_TOLERANCE", "%v is not between %v and %v", c.ClockTolerance, time.Second, contract.MaxClockTolerance)
	}
}

// UsesTLS reports whether the service answers HTTPS itself.
func (c Config) UsesTLS() bool { return c.TLSCert != "" || c.ACMEDirectory != "" }

// CertificateHosts returns the names of the certificate that an ACME server issues, in lower case.
func (c Config) CertificateHosts() []string {
	hosts := []string{c.publicHost()}
	for _, h := range c.ACMEHosts {
		if h = strings.ToLower(h); !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// publicHost returns the host of the public address in lower case; empty: there is none.
func (c Config) publicHost() string {
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// BaseURL returns the public address without a trailing slash: PublicURL, or otherwise the address listened on, with
// localhost if that names no host.
func (c Config) BaseURL() string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	host, port, _ := net.SplitHostPort(c.Listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http://"
	if c.UsesTLS() {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port)
}

// BasePath returns the path of the public address, such as /segel, without a trailing slash; empty if the service is
// at the root. The proxy in front strips it.
func (c Config) BasePath() string {
	u, err := url.Parse(c.BaseURL())
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

// Limits returns the limits of one document.
func (c Config) Limits() contract.Limits {
	return contract.Limits{
		FileSize: int64(c.MaxFile), Pages: c.MaxPages, Participants: c.MaxParticipants,
		Placements: c.MaxPlacements, Stamps: c.MaxStamps, Text: c.MaxText, BoxArea: c.MaxBoxArea,
		Storage:             contract.Storage{Drafts: c.MaxDrafts, Bytes: int64(c.MaxStorage)},
		PersonUploads:       contract.OpenUploads{Count: c.MaxOpenUploadsPerPerson, Bytes: int64(c.MaxOpenUploadBytesPerPerson)},
		OrganisationUploads: contract.OpenUploads{Count: c.MaxOpenUploads, Bytes: int64(c.MaxOpenUploadBytes)},
		UploadLifetime:      c.UploadLifetime,
		StampFile:           int64(c.StampMaxFile), StampEncrypted: c.stampEncrypted(),
	}
}

func (c Config) stampEncrypted() contract.EncryptedFiles {
	switch {
	case c.StampEncrypted != "":
		return contract.EncryptedFiles(c.StampEncrypted)
	case c.StampOffice == "sandbox":
		return contract.EncryptedAny
	}
	return contract.EncryptedUnrestricted
}
