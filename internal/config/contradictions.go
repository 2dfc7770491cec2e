package config

import (
	"path/filepath"
	"strings"
)

// contradiction is a combination of settings with which the service does not start, although each of them is right by itself.
type contradiction struct {
	name string // of the setting that the error names, without our prefix
	what string // follows the name
	in   func(Config) bool
}

// contradictions are all of them. Each has a configuration in a test.
var contradictions = []contradiction{
	{"TLS_CERT", "and TLS_KEY belong together", func(c Config) bool { return (c.TLSCert == "") != (c.TLSKey == "") }},
	{"TLS_CERT", "and ACME_DIRECTORY are two sources of one certificate; use one", func(c Config) bool { return c.TLSCert != "" && c.ACMEDirectory != "" }},
	{"ACME_DIRECTORY", "needs a PUBLIC_URL with https and a name, for which it issues the certificate", func(c Config) bool {
		return c.ACMEDirectory != "" && !(strings.HasPrefix(c.PublicURL, "https://") && hostPattern.MatchString(c.publicHost()))
	}},
	{"ACME_DIRECTORY", "is required with ACME_EMAIL, ACME_HOSTS, ACME_CA and ACME_BINDING_ID", func(c Config) bool {
		return c.ACMEDirectory == "" && (c.ACMEEmail+c.ACMECA+c.ACMEBindingID != "" || len(c.ACMEHosts) > 0)
	}},
	{"ACME_BINDING_ID", "and ACME_BINDING_KEY belong together", func(c Config) bool { return (c.ACMEBindingID == "") != (c.ACMEBindingKey == "") }},
	{"PUBLIC_URL", "must be https with TLS_CERT", func(c Config) bool { return c.TLSCert != "" && strings.HasPrefix(c.PublicURL, "http://") }},
	{"LISTEN_HTTP", "needs a PUBLIC_URL with https, to which it redirects", func(c Config) bool { return c.ListenHTTP != "" && !strings.HasPrefix(c.PublicURL, "https://") }},
	{"LISTEN_HTTP", "must be another address than LISTEN", func(c Config) bool { return c.ListenHTTP == c.Listen && !strings.HasSuffix(c.Listen, ":0") }},

	{"MASTER_KEY", "and MASTER_KEY_FILE and MASTER_KEY_COMMAND are several sources of one key; use one", func(c Config) bool { return c.masterKeySources() > 1 }},
	{"FORMER_MASTER_KEY", "and FORMER_MASTER_KEY_FILE and FORMER_MASTER_KEY_COMMAND are several sources of one key; use one", func(c Config) bool {
		return countSet(c.FormerMasterKey, c.FormerMasterKeyFile, c.FormerMasterKeyCommand) > 1
	}},
	{"STATE", "database needs MASTER_KEY, MASTER_KEY_FILE or MASTER_KEY_COMMAND: the data folder has nothing to keep then", func(c Config) bool { return c.State == StateDatabase && c.masterKeySources() == 0 }},
	{"BLOBS_FROM", "must be another place than BLOBS: with files set BLOBS_FOLDER and BLOBS_FROM_FOLDER, with s3 S3_PREFIX and S3_FROM_PREFIX", func(c Config) bool {
		return c.BlobsFrom == c.Blobs && (c.Blobs == BlobsFiles && isBelow(c.FormerBlobsDir(), c.BlobsDir()) || c.Blobs == BlobsS3 && c.S3FromPrefix == c.S3Prefix)
	}},
	{"BLOBS_WRITE", "former needs BLOBS_FROM", func(c Config) bool { return c.BlobsWrite == BlobsWriteFormer && c.BlobsFrom == "" }},
	{"S3_BUCKET", "and S3_ENDPOINT need BLOBS=s3", func(c Config) bool { return !c.usesS3() && c.S3Endpoint+c.S3Bucket != "" }},
	{"S3_ACCESS_KEY", "and S3_SECRET_KEY are required with BLOBS=s3", func(c Config) bool { return c.usesS3() && (c.S3AccessKey == "" || c.S3SecretKey == "") }},
	{"S3_ENDPOINT", "must be https, except for a server in a network of OUTBOUND_PRIVATE", func(c Config) bool {
		return c.usesS3() && strings.HasPrefix(c.S3Endpoint, "http://") && len(c.OutboundPrivate) == 0
	}},

	{"PHONE_WHATSAPP_BODY", "needs PHONE_WHATSAPP_URL", func(c Config) bool { return c.PhoneWhatsAppURL == "" && c.PhoneWhatsAppBody != "" }},
	{"PHONE_WHATSAPP_BODY", "is required with PHONE_WHATSAPP_URL", func(c Config) bool { return c.PhoneWhatsAppURL != "" && c.PhoneWhatsAppBody == "" }},
	{"PHONE_SMS_BODY", "needs PHONE_SMS_URL", func(c Config) bool { return c.PhoneSMSURL == "" && c.PhoneSMSBody != "" }},
	{"PHONE_SMS_BODY", "is required with PHONE_SMS_URL", func(c Config) bool { return c.PhoneSMSURL != "" && c.PhoneSMSBody == "" }},
	{"TIMESTAMP_URLS", "needs TRUST_DIR, the roots to which these authorities have to lead", func(c Config) bool { return len(c.TimestampURLs) > 0 && c.TrustDir == "" }},

	{"STAMP_ADAPTERS", "must name an adapter with STAMP_OFFICE=adapter", func(c Config) bool { return c.StampOffice == "adapter" && len(c.StampAdapters) == 0 }},
	{"STAMP_SHARED_DIR", "must name a folder that the adapters see with STAMP_OFFICE=adapter", func(c Config) bool { return c.StampOffice == "adapter" && c.StampSharedDir == "" }},
	{"STAMP_LOGIN_URL", "must name the office with STAMP_OFFICE=adapter and cloud", func(c Config) bool { return c.usesStampOffice() && c.StampLoginURL == "" }},
	{"STAMP_USER", "must have an account, and STAMP_PASSWORD its password, with STAMP_OFFICE=adapter and cloud", func(c Config) bool {
		return c.usesStampOffice() && (c.StampUser == "" || c.StampPassword == "")
	}},

	{"MAX_STORAGE", "must not be smaller than MAX_FILE", func(c Config) bool { return c.MaxStorage < c.MaxFile }},
	{"MAX_OPEN_UPLOAD_BYTES", "must not be smaller than MAX_FILE", func(c Config) bool { return c.MaxOpenUploadBytes < c.MaxFile }},
	{"MAX_OPEN_UPLOAD_BYTES_PER_PERSON", "must not be smaller than MAX_FILE", func(c Config) bool { return c.MaxOpenUploadBytesPerPerson < c.MaxFile }},
	{"REFRESH_LIFETIME", "must not be shorter than ACCESS_LIFETIME", func(c Config) bool { return c.RefreshLifetime < c.AccessLifetime }},
	{"REQUESTS_AT_ONCE", "needs REQUESTS_PER_SECOND", func(c Config) bool { return c.RequestsAtOnce > 0 && c.RequestsPerSecond == 0 }},
}

func (v *problems) checkContradictions(c Config) {
	for _, row := range contradictions {
		v.addIf(row.in(c), row.name, row.what)
	}
}

// masterKeySources returns from how many places the master key would come, besides the data folder.
func (c Config) masterKeySources() int {
	return countSet(c.MasterKey, c.MasterKeyFile, c.MasterKeyCommand)
}

func countSet(values ...string) (n int) {
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}

// BlobsDir returns the folder of the files with BLOBS=files.
func (c Config) BlobsDir() string { return c.inDataDir(c.BlobsFolder) }

// FormerBlobsDir returns the folder that files move from with BLOBS_FROM=files.
func (c Config) FormerBlobsDir() string {
	if c.Blobs == BlobsFiles {
		return c.inDataDir(c.BlobsFromFolder)
	}
	return c.BlobsDir()
}

func (c Config) inDataDir(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.DataDir, path)
}

// isBelow reports whether one of two folders is the other one, or in it.
func isBelow(a, b string) bool {
	inside := func(outer, inner string) bool {
		rel, err := filepath.Rel(outer, inner)
		return err == nil && filepath.IsLocal(rel)
	}
	return inside(a, b) || inside(b, a)
}

func (c Config) usesS3() bool { return c.Blobs == BlobsS3 || c.BlobsFrom == BlobsS3 }

// usesStampOffice reports whether the stamps come from a stamp office outside of the process.
func (c Config) usesStampOffice() bool { return c.StampOffice == "adapter" || c.StampOffice == "cloud" }
