package config

import (
	"log/slog"
	"time"
)

// Config holds all settings. The comment of a member is printed as its manual, so it addresses the operator. A member
// tagged secret is never printed; min is the least value of a number or a duration, max the largest one of a number.
type Config struct {
	// --- Service ---

	// Folder for everything that must be kept: the database, documents, keys. Back it up as a whole.
	DataDir string `env:"DATA_DIR" envDefault:"data"`

	// What this process does, of api, worker and convert, separated by commas: answer requests; stamp, complete, send messages and do periodic
	// work; convert Word documents. Several processes on one PostgreSQL database share the roles. A process without api still answers
	// /healthz, /readyz and /metrics.
	Roles []string `env:"ROLE" envDefault:"api,worker,convert"`

	// Address to listen on, host:port. An empty host means every network of the machine.
	Listen string `env:"LISTEN" envDefault:"127.0.0.1:8080"`

	// Address under which clients reach the service, such as https://segel.example.com. It appears in links, QR codes and,
	// permanently, in the certificates that the embedded authority issues. Empty: the address listened on.
	PublicURL string `env:"PUBLIC_URL"`

	// Database, as a PostgreSQL URL such as postgres://user:password@host/segel. Empty: SQLite in the data folder.
	Database string `env:"DATABASE" secret:"true"`

	// How long one database transaction may take, including the wait for a connection. PostgreSQL ends statements after the same
	// time. Migrations have no limit.
	DatabaseTimeout time.Duration `env:"DATABASE_TIMEOUT" envDefault:"15s" min:"1s"`

	// Whether serve migrates the database to the format of this program: auto, unless another service uses the database, which then has to be migrated with segel
	// migrate; or off, which refuses to start until segel migrate was run. No other command migrates.
	Migrate string `env:"MIGRATE" envDefault:"auto"`

	// File with the key that encrypts all stored private keys. Created at the first start. Empty: master.key in the data folder.
	// Keep a copy elsewhere: without it no stored key can be used again.
	MasterKeyFile string `env:"MASTER_KEY_FILE"`

	// That key itself instead of a file: base64 of 32 bytes, such as openssl rand -base64 32 makes.
	MasterKey string `env:"MASTER_KEY" secret:"true"`

	// Program that prints that key in base64 instead, with its arguments, such as one that has a key management service decrypt it. It runs without
	// a shell and without our settings at each start, for 30 seconds at most. Arguments are separated by spaces and not secret.
	MasterKeyCommand string `env:"MASTER_KEY_COMMAND"`

	// The other key while the master key is exchanged: the former one, or on services that have not changed over yet the next one. It opens what it
	// sealed. See "Key custody" in docs/operations.md. A file with 32 bytes, like MASTER_KEY_FILE; it
	// is never created.
	FormerMasterKeyFile string `env:"FORMER_MASTER_KEY_FILE"`

	// That key itself instead of a file: base64 of 32 bytes.
	FormerMasterKey string `env:"FORMER_MASTER_KEY" secret:"true"`

	// Program that prints that key in base64 instead, like MASTER_KEY_COMMAND. Remove the setting when segel master-key rotate says that the exchange is complete.
	FormerMasterKeyCommand string `env:"FORMER_MASTER_KEY_COMMAND"`

	// Where the sealed keys and the records of the stamp office are kept: folder, in the data folder; or database, for services on several
	// machines, which then need one of MASTER_KEY, MASTER_KEY_FILE and MASTER_KEY_COMMAND. With a PostgreSQL database and BLOBS=s3 the data folder
	// then has only temporary files. segel state copy moves keys and records to the database, and with --to folder back.
	State string `env:"STATE" envDefault:"folder"`

	// Where the files of documents are kept: files, in the data folder; or s3, in a bucket of an S3 server with conditional writes. Keys,
	// records of the stamp office and an SQLite database stay in the data folder: see STATE and DATABASE. Files are not moved when this changes: see BLOBS_FROM.
	Blobs string `env:"BLOBS" envDefault:"files"`

	// Folder of the files with BLOBS=files: its path below the data folder, or a whole path.
	BlobsFolder string `env:"BLOBS_FOLDER" envDefault:"blobs"`

	// Where files were kept before, while they move: files or s3. New files are written where BLOBS_WRITE says, and read from both. segel blobs
	// copy moves the rest. Empty: files do not move.
	BlobsFrom string `env:"BLOBS_FROM"`

	// Where new files are written while files move: new, which is BLOBS; or former, which is BLOBS_FROM. Several services on one database are restarted
	// twice, one after the other: with former until all of them read from both, and then with new.
	BlobsWrite string `env:"BLOBS_WRITE" envDefault:"new"`

	// Folder that they move from if BLOBS and BLOBS_FROM are both files: another one than BLOBS_FOLDER, and neither in the other.
	BlobsFromFolder string `env:"BLOBS_FROM_FOLDER" envDefault:"blobs"`

	// Whether files are encrypted before they are stored: on, each under a key of its organisation, which the master key protects; or off. It applies
	// to files that are written from then on. All files are read, encrypted or not, as long as the database and the master key are there. segel blobs copy
	// --reencrypt moves the others.
	BlobEncryption string `env:"BLOB_ENCRYPTION" envDefault:"off"`

	// Address of the S3 server, such as https://s3.ap-southeast-3.amazonaws.com. OUTBOUND_PRIVATE must name the network of a server without a
	// public address, which may be http; others must be https.
	S3Endpoint string `env:"S3_ENDPOINT"`

	// File with the certificates, in PEM, of the authorities that the certificate of the S3 server may come from. Empty: those of the system.
	S3CA string `env:"S3_CA"`

	// Bucket, which must exist. Its objects should have no versions and no rule that removes them.
	S3Bucket string `env:"S3_BUCKET"`

	// Prefix of the names of all objects, such as segel/, for a bucket that is also used for other things. Empty: none.
	S3Prefix string `env:"S3_PREFIX"`

	// Prefix of the names that files move from, if BLOBS and BLOBS_FROM are both s3: another one than S3_PREFIX, in the same bucket.
	S3FromPrefix string `env:"S3_FROM_PREFIX"`

	// Region of the bucket.
	S3Region string `env:"S3_REGION" envDefault:"us-east-1"`

	// Identifier of the access key. It must be permitted to read, write, list and delete objects and multipart uploads.
	S3AccessKey string `env:"S3_ACCESS_KEY" secret:"true"`

	// Secret of the access key.
	S3SecretKey string `env:"S3_SECRET_KEY" secret:"true"`

	// How long one request to the S3 server may take, of at most 5 MiB.
	S3Timeout time.Duration `env:"S3_TIMEOUT" envDefault:"30s" min:"1s"`

	// Address of the S3 server that segel backup and segel restore use for s3://BUCKET/PREFIX, if it is not S3_ENDPOINT; the same rules apply.
	BackupS3Endpoint string `env:"BACKUP_S3_ENDPOINT"`

	// File with the certificates of its authorities, in place of S3_CA.
	BackupS3CA string `env:"BACKUP_S3_CA"`

	// Region of the bucket of backups, in place of S3_REGION.
	BackupS3Region string `env:"BACKUP_S3_REGION"`

	// Identifier of the access key for the bucket of backups, in place of S3_ACCESS_KEY.
	BackupS3AccessKey string `env:"BACKUP_S3_ACCESS_KEY" secret:"true"`

	// Secret of that access key.
	BackupS3SecretKey string `env:"BACKUP_S3_SECRET_KEY" secret:"true"`

	// Networks of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8,127.0.0.1. Empty: none, and the caller's address is
	// that of the connection.
	TrustedProxies []Network `env:"TRUSTED_PROXIES"`

	// Origins whose pages may call the service from a browser, such as https://app.example.com, or * for any. Cookies are never
	// accepted from another origin.
	CORSOrigins []string `env:"CORS_ORIGINS"`

	// The one path segment that stands for {service} in /v1/econtract/{service}/sign/. Empty: any is accepted.
	ServiceSegment string `env:"SERVICE_SEGMENT"`

	// Further paths for clients that know the operations under other names, each as /their/path=/our/path, separated by commas. Our
	// path is written as in the documentation of the interface; parts in braces are carried over by name, such as
	// /status/{document_id}=/v1/econtract/web_app/document/status/{document_id}.
	Paths map[string]string `env:"PATHS" envKeyValSeparator:"="`

	// Lowest level that is logged: debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`

	// Format of log lines: text or json.
	LogFormat string `env:"LOG_FORMAT" envDefault:"text"`

	// Token with which a monitor may read /metrics, sent as Authorization: Bearer. Empty: only an operator's token works.
	MetricsToken string `env:"METRICS_TOKEN" secret:"true"`

	// Address of an OpenTelemetry collector that traces are sent to with OTLP over HTTP, such as https://collector.example.com/v1/traces: spans of requests,
	// jobs, transactions and calls to the stamp office, without names, addresses and titles. Empty: no traces are sent.
	TraceEndpoint string `env:"TRACE_ENDPOINT"`

	// Header fields of the requests to it as a JSON object, such as {"Authorization": "Bearer abc"}.
	TraceHeaders string `env:"TRACE_HEADERS" secret:"true"`

	// Networks in which the collector may be although they are not public, such as 127.0.0.1. Its address may be http there.
	TraceNetworks []Network `env:"TRACE_NETWORKS"`

	// Share of the traces that are sent, in percent.
	TracePercent int `env:"TRACE_PERCENT" envDefault:"100" min:"0" max:"100"`

	// How long the service continues to accept requests after it is told to stop, while /readyz already answers 503, so that a
	// balancer stops sending requests to it. Set it to a few seconds more than the balancer needs to notice.
	DrainWait time.Duration `env:"DRAIN_WAIT" envDefault:"0s" min:"0s"`

	// How long running requests and jobs together may take to finish after the service stops accepting new ones.
	ShutdownWait time.Duration `env:"SHUTDOWN_WAIT" envDefault:"20s" min:"0s"`

	// --- TLS ---

	// File with the certificate of the listener and its chain, in PEM. With it the service answers HTTPS, HTTP/2 included, and no proxy is needed in
	// front of it. It is read again within seconds after it or TLS_KEY changes, and on SIGHUP; while it cannot be used, the former certificate is used.
	// Empty: plain HTTP.
	TLSCert string `env:"TLS_CERT"`

	// File with the key of that certificate, in PEM, without a passphrase.
	TLSKey string `env:"TLS_KEY"`

	// Second address, such as :80, on which plain HTTP is redirected to PUBLIC_URL, and challenges of ACME_DIRECTORY are answered. Empty: none.
	ListenHTTP string `env:"LISTEN_HTTP"`

	// Directory of an ACME server that issues the certificate of PUBLIC_URL in place of TLS_CERT, such as https://acme-v02.api.letsencrypt.org/directory.
	// It must reach the service at port 443, or at port 80 with LISTEN_HTTP. The certificate and its key are sealed in the database, so that all nodes
	// use them, and renewed automatically. Setting it accepts the terms of the server. OUTBOUND_PRIVATE must name the network of a server without a
	// public address. Empty: none.
	ACMEDirectory string `env:"ACME_DIRECTORY"`

	// E-mail that the ACME server may write to about the account. Empty: none.
	ACMEEmail string `env:"ACME_EMAIL"`

	// Further names in the certificate, besides the host of PUBLIC_URL.
	ACMEHosts []string `env:"ACME_HOSTS"`

	// File with the certificates, in PEM, of the authorities that the certificate of the ACME server itself may come from. Empty: those of the system.
	ACMECA string `env:"ACME_CA"`

	// Identifier of the external account to which the server binds ours, if it demands one (RFC 8555, external account binding).
	ACMEBindingID string `env:"ACME_BINDING_ID"`

	// Key of that account, in base64url, as the server shows it.
	ACMEBindingKey string `env:"ACME_BINDING_KEY" secret:"true"`

	// --- First start ---

	// Name of the organisation that the first start creates.
	Organisation string `env:"ORGANISATION" envDefault:"Segel"`

	// E-mail of the admin that the first start creates. Their password is printed on a terminal; elsewhere it is in the file initial-password of the data
	// folder until it is used.
	AdminEmail string `env:"ADMIN_EMAIL" envDefault:"admin@localhost"`

	// Duty stamps that a new organisation is granted, once, with the sandbox stamp office. They are specimens without legal value.
	// With another stamp office an organisation starts with none.
	GrantStamps int `env:"GRANT_STAMPS" envDefault:"1000" min:"0"`

	// Signatures that a new organisation is granted, once, with the sandbox stamp office. With another it starts with none.
	GrantSignatures int `env:"GRANT_SIGNATURES" envDefault:"1000" min:"0"`

	// --- Documents ---

	// Largest file, decoded.
	MaxFile Size `env:"MAX_FILE" envDefault:"50MiB"`

	// Largest number of pages of a file.
	MaxPages int `env:"MAX_PAGES" envDefault:"2000" min:"1"`

	// Largest number of participants of a document.
	MaxParticipants int `env:"MAX_PARTICIPANTS" envDefault:"100" min:"1"`

	// Largest number of placements on a document, including stamps.
	MaxPlacements int `env:"MAX_PLACEMENTS" envDefault:"500" min:"1"`

	// Largest number of duty stamps on a document.
	MaxStamps int `env:"MAX_STAMPS" envDefault:"50" min:"1"`

	// Largest share of a page, in percent, that the boxes for signatures and initials of one person cover together. Those of all people
	// together cover at most twice as much. Duty stamps have sides of 40 to 200 points instead.
	MaxBoxArea int `env:"MAX_BOX_AREA" envDefault:"25" min:"1" max:"100"`

	// Largest number of drafts of one organisation at a time.
	MaxDrafts int `env:"MAX_DRAFTS" envDefault:"1000" min:"1"`

	// Largest total size of the files of all documents of one organisation when another document is uploaded. Documents that exist
	// can always be finished: signatures, stamps and seals are counted, but never refused. Deleting a draft frees its space.
	MaxStorage Size `env:"MAX_STORAGE" envDefault:"50GiB"`

	// How long an upload that was interrupted can be continued.
	UploadLifetime time.Duration `env:"UPLOAD_LIFETIME" envDefault:"24h" min:"1m"`

	// Uploads of one person that are not complete, at most.
	MaxOpenUploadsPerPerson int `env:"MAX_OPEN_UPLOADS_PER_PERSON" envDefault:"20" min:"1"`

	// Uploads of one organisation that are not complete, at most.
	MaxOpenUploads int `env:"MAX_OPEN_UPLOADS" envDefault:"200" min:"1"`

	// Announced size of the uploads of one person that are not complete, at most.
	MaxOpenUploadBytesPerPerson Size `env:"MAX_OPEN_UPLOAD_BYTES_PER_PERSON" envDefault:"1GiB"`

	// Announced size of the uploads of one organisation that are not complete, at most.
	MaxOpenUploadBytes Size `env:"MAX_OPEN_UPLOAD_BYTES" envDefault:"4GiB"`

	// Largest number of characters of a title or a file name.
	MaxText int `env:"MAX_TEXT" envDefault:"255" min:"1"`

	// Finalize treats a document on which only duty stamps are placed as a stamping order, even when others than its owner are
	// listed as signers. For old clients that cannot send stamp_only themselves.
	StampOnly bool `env:"STAMP_ONLY" envDefault:"false"`

	// Guests may create an account after they have verified their mailbox with a code. The documents that name the mailbox are in its inbox.
	// Each such account has a separate organisation, without quota.
	GuestAccounts bool `env:"GUEST_ACCOUNTS" envDefault:"false"`

	// --- Mail ---

	// Mail servers in the order in which they are tried, such as smtp://user:password@mail.example.com:587, which must offer STARTTLS, or
	// smtps://mail.example.com:465. With ?tls=none a server is used without TLS: only within your own network. OUTBOUND_PRIVATE must
	// name the network of a server without a public address. The service introduces itself (EHLO) with the host of PUBLIC_URL. Empty: messages are not sent but kept, and operators read them and pass
	// them on (Administration, Mail; segel mail).
	MailServers []string `env:"MAIL_SERVERS" secret:"true"`

	// Address from which mail is sent, such as segel@example.com. Required with MAIL_SERVERS.
	MailFrom string `env:"MAIL_FROM"`

	// Addresses of organisations that replace MAIL_FROM in their mail, as ID:ADDRESS, separated by commas. The mail servers must be permitted
	// to send from them.
	MailFromByOrganisation map[string]string `env:"MAIL_FROM_BY_ORGANISATION"`

	// Address to which mail servers return what they cannot deliver later, such as bounces@example.com. Each mail has a separate sender: this local
	// part, + and 42 letters and digits. Pass the mail that arrives there to segel mail bounce. Empty: it is returned to MAIL_FROM.
	MailBounces string `env:"MAIL_BOUNCES"`

	// Language of mail: id or en.
	MailLanguage string `env:"MAIL_LANGUAGE" envDefault:"id"`

	// Hours of the day, in the time zone of an organisation, in which no scheduled reminders are sent, such as 21-7. Those that are due are sent afterwards. 0-0: none.
	QuietHours Hours `env:"QUIET_HOURS" envDefault:"20-8"`

	// The shortest period, in years, after which organisations may have the files of completed documents removed. Tax law requires ten years for documents on which bookkeeping is based.
	RetentionLeast int `env:"RETENTION_LEAST_YEARS" envDefault:"10" min:"1" max:"100"`

	// An organisation that has fewer units of quota left than this is reported as quota.low, and again when none is left. 0: only then.
	QuotaLow int `env:"QUOTA_LOW" envDefault:"20" min:"0"`

	// How long a mail server may take for one mail.
	MailTimeout time.Duration `env:"MAIL_TIMEOUT" envDefault:"30s" min:"1s"`

	// --- Phone ---

	// Address of the provider that sends messages by WhatsApp, such as https://provider.example.com/messages. Empty: WhatsApp is not offered.
	// OUTBOUND_PRIVATE must name the network of a provider without a public address.
	PhoneWhatsAppURL string `env:"PHONE_WHATSAPP_URL" secret:"true"`

	// Method of the requests to it: POST or PUT.
	PhoneWhatsAppMethod string `env:"PHONE_WHATSAPP_METHOD" envDefault:"POST"`

	// Header fields of the requests as a JSON object, such as {"Authorization": "Bearer abc"}. Content-Type is application/json if it is missing.
	PhoneWhatsAppHeaders string `env:"PHONE_WHATSAPP_HEADERS" secret:"true"`

	// Body of a request, such as {"to": {{json .Number}}, "text": {{json .Text}}}. Each value is written with json (a JSON
	// text with its quotes), form (percent-encoded) or digits (only the digits), and is one of ID, Channel, Number, Name, Kind, Language,
	// Sender, Organisation, Title, Link, Code and Text, which is the whole message. Parts may depend on a value:
	// {{if eq .Kind "code"}}...{{else}}...{{end}}. Required with PHONE_WHATSAPP_URL.
	PhoneWhatsAppBody string `env:"PHONE_WHATSAPP_BODY" secret:"true"`

	// Regular expression that the body of an answer with status 2xx matches if the provider accepted the message, such as "status": ?true.
	// After any other answer the message is sent again later. Empty: status 2xx means that it was accepted.
	PhoneWhatsAppAccepted string `env:"PHONE_WHATSAPP_ACCEPTED"`

	// Address of the provider that sends messages by SMS, such as https://provider.example.com/messages. Empty: SMS is not offered.
	// OUTBOUND_PRIVATE must name the network of a provider without a public address.
	PhoneSMSURL string `env:"PHONE_SMS_URL" secret:"true"`

	// Method of the requests to it: POST or PUT.
	PhoneSMSMethod string `env:"PHONE_SMS_METHOD" envDefault:"POST"`

	// Header fields of the requests as a JSON object, such as {"Authorization": "Bearer abc"}. Content-Type is application/json if it is missing.
	PhoneSMSHeaders string `env:"PHONE_SMS_HEADERS" secret:"true"`

	// Body of a request, such as to={{form .Number}}&text={{form .Text}}. Each value is written with json (a JSON
	// text with its quotes), form (percent-encoded) or digits (only the digits), and is one of ID, Channel, Number, Name, Kind, Language,
	// Sender, Organisation, Title, Link, Code and Text, which is the whole message. Parts may depend on a value:
	// {{if eq .Kind "code"}}...{{else}}...{{end}}. Required with PHONE_SMS_URL.
	PhoneSMSBody string `env:"PHONE_SMS_BODY" secret:"true"`

	// Regular expression that the body of an answer with status 2xx matches if the provider accepted the message, such as "status": ?true.
	// After any other answer the message is sent again later. Empty: status 2xx means that it was accepted.
	PhoneSMSAccepted string `env:"PHONE_SMS_ACCEPTED"`

	// How long a provider may take for one message.
	PhoneTimeout time.Duration `env:"PHONE_TIMEOUT" envDefault:"30s" min:"1s"`

	// --- Trust ---

	// Time-stamp authorities (RFC 3161) for signatures, seals and documents, in the order in which they are tried, such as
	// https://tsa.example.com/tsr,https://user:password@tsa.example.org/. Empty: the embedded authority. Without a timestamp nothing
	// is signed.
	TimestampURLs []string `env:"TIMESTAMP_URLS" secret:"true"`

	// How long one time-stamp authority may take before the next one is tried.
	TimestampTimeout time.Duration `env:"TIMESTAMP_TIMEOUT" envDefault:"10s" min:"1s"`

	// How far the clocks of the database and of time-stamp authorities may differ from this machine's, and how far a recorded event
	// may lie in the future, before the service stops signing, stamping and sealing. At most 5m.
	ClockTolerance time.Duration `env:"CLOCK_TOLERANCE" envDefault:"2m"`

	// Folder of root certificates for verifying files, as PEM or DER files ending in .pem, .crt, .cer or .der. The chain of every
	// time-stamp authority must lead to one of them. Required with TIMESTAMP_URLS; the embedded authority is always trusted. Roots
	// in the subfolder signing are trusted for signatures only, those in timestamping for timestamps only, all others for both;
	// those in stamping also identify the office that issues duty stamps. The subfolder segel is for roots of other Segel
	// installations, whose certificate policies are interpreted like our own.
	TrustDir string `env:"TRUST_DIR"`

	// Networks that the service may connect to although they are not on the public internet, such as 10.0.0.0/8,127.0.0.1: for
	// what is set here, such as the S3 server, mail servers, Gotenberg and time-stamp authorities. OCSP responders and revocation
	// lists at any other private address are refused, even if a certificate names them. Proxies of the environment are never used.
	OutboundPrivate []Network `env:"OUTBOUND_PRIVATE"`

	// Networks that webhooks and identity providers may be in although they are not on the public internet, such as
	// 10.20.0.0/24,10.0.0.7. Administrators of organisations choose these addresses: name no network of the service's own servers.
	// OUTBOUND_PRIVATE does not count for them. If a network is named, their addresses may be http.
	OrganisationNetworks []Network `env:"ORGANISATION_PRIVATE_NETWORKS"`

	// Ports that the service may connect to, in addition to those in TIMESTAMP_URLS.
	OutboundPorts []uint16 `env:"OUTBOUND_PORTS" envDefault:"80,443"`

	// Whether a TXT record in the DNS of a mail domain lets it route logins to the provider of an organisation. Otherwise only an operator
	// grants domains. The name servers of this machine are asked; their answers are trusted.
	SSODomainsByDNS bool `env:"SSO_DOMAINS_BY_DNS"`

	// How long before the newest timestamp of a completed document expires with the certificate of its authority, a further
	// timestamp renews it.
	RenewBefore time.Duration `env:"RENEW_BEFORE" envDefault:"8760h" min:"1h"`

	// --- Stamp office ---

	// Where duty stamps come from: sandbox, a simulated stamp office in this process, whose stamps are specimens without legal
	// value; adapter, the stamp office through its adapter, which shares a folder with this service; cloud, the stamp office, to
	// which documents are uploaded.
	StampOffice string `env:"STAMP_OFFICE" envDefault:"sandbox"`

	// Address of the stamp office for logging in, the status of a serial and the balance.
	StampLoginURL string `env:"STAMP_LOGIN_URL"`

	// Address of the stamp office for serials and kinds of documents. Empty: STAMP_LOGIN_URL.
	StampSerialURL string `env:"STAMP_SERIAL_URL"`

	// Address of the stamp office for stamping uploaded documents. Empty: STAMP_SERIAL_URL.
	StampCloudURL string `env:"STAMP_CLOUD_URL"`

	// User of the account at the stamp office.
	StampUser string `env:"STAMP_USER"`

	// Password of the account at the stamp office.
	StampPassword string `env:"STAMP_PASSWORD" secret:"true"`

	// Addresses of the stamp office's adapters, such as http://adapter:7777. They all see STAMP_SHARED_DIR. All nodes list them in the same
	// order, each by the address at which it reaches them: slots are counted by position.
	StampAdapters []string `env:"STAMP_ADAPTERS"`

	// Documents that one adapter processes at a time, for all nodes on one database and with the same STAMP_USER. Current adapters process one.
	StampSlots int `env:"STAMP_SLOTS" envDefault:"1" min:"1"`

	// Folder shared with the adapters. Its files are removed after each stamp.
	StampSharedDir string `env:"STAMP_SHARED_DIR"`

	// Path of that folder as the adapters see it.
	StampMount string `env:"STAMP_MOUNT" envDefault:"/sharefolder"`

	// Networks in which the stamp office or its adapters may be although they are not public, such as 10.1.0.0/16.
	StampNetworks []Network `env:"STAMP_NETWORKS"`

	// Our names for kinds of documents, with the stamp office's code or name of each, such as agreement=Surat Perjanjian,receipt=2.
	StampKinds map[string]string `env:"STAMP_KINDS" envKeyValSeparator:"="`

	// The kind of documents that name none: a name in STAMP_KINDS, or the stamp office's code or name.
	StampKind string `env:"STAMP_KIND" envDefault:"Surat Perjanjian"`

	// Type of the identity of the person who bears the duty, for accounts that must send it: KTP, NPWP or PASSPORT. Empty: none is
	// sent.
	StampIdentity string `env:"STAMP_IDENTITY"`

	// Number of that identity.
	StampIdentityNumber string `env:"STAMP_IDENTITY_NUMBER"`

	// Name of the person who bears the duty. Empty: the name of the document's organisation.
	StampIdentityName string `env:"STAMP_IDENTITY_NAME"`

	// Path at STAMP_SERIAL_URL from which the picture of a serial can be fetched again, with {serial} in it. Empty: it cannot be
	// fetched again, and with the adapter a serial whose answer was lost waits for an operator.
	StampPicturePath string `env:"STAMP_PICTURE_PATH"`

	// Stamps of the stamp office have no legal value, as at its staging hosts. Set this to false only for an account at the stamp
	// office in production.
	StampSpecimen bool `env:"STAMP_SPECIMEN" envDefault:"true"`

	// Largest file that is sent to the stamp office. A larger one is refused before a serial is paid for. 0: the limit is MAX_FILE.
	StampMaxFile Size `env:"STAMP_MAX_FILE" envDefault:"0"`

	// Which encrypted files, of those that open without a password, the stamp office accepts: any, unrestricted (those whose
	// permissions allow changes) or none. All others are refused before a serial is paid for. Empty: any with the sandbox stamp
	// office, unrestricted with another.
	StampEncrypted string `env:"STAMP_ENCRYPTED"`

	// How long one call to the stamp office may take.
	StampTimeout time.Duration `env:"STAMP_TIMEOUT" envDefault:"30s" min:"1s"`

	// How long stamping, or sending or fetching a document, may take.
	StampFileTimeout time.Duration `env:"STAMP_FILE_TIMEOUT" envDefault:"2m" min:"1s"`

	// How long after a purchase timed out the stamp office may still carry it out. Until then no other purchase is made for the same
	// stamp.
	StampSettle time.Duration `env:"STAMP_SETTLE" envDefault:"2m" min:"0s"`

	// How often the account at the stamp office is reconciled with our register of serials. 0: never automatically.
	ReconcileEvery time.Duration `env:"RECONCILE_EVERY" envDefault:"24h" min:"0s"`

	// --- Word documents ---

	// What converts Word documents to PDF: libreoffice, in a sandbox on this machine; the URL of a Gotenberg service, such as
	// http://gotenberg:3000; auto, which is libreoffice if it and its sandbox are available; or off, which refuses Word documents.
	Convert string `env:"CONVERT" envDefault:"auto"`

	// Runs LibreOffice without its sandbox if none is available. Any uploader can then make it read this machine's files and
	// network. Accepted only as i-trust-every-uploader.
	ConvertUnfenced string `env:"CONVERT_UNFENCED"`

	// Converts Word documents to PDF/A-2b.
	ConvertPDFA bool `env:"CONVERT_PDFA" envDefault:"false"`

	// How long an upload waits for its conversion before it is answered without the result.
	ConvertWait time.Duration `env:"CONVERT_WAIT" envDefault:"10s" min:"0s"`

	// How long the conversion of one document may take.
	ConvertTime time.Duration `env:"CONVERT_TIME" envDefault:"60s" min:"1s"`

	// Documents converted at the same time. Each takes up to half a gigabyte of memory and one processor. That memory is subtracted
	// from the soft memory limit that the service sets by default, 70 percent of the available memory, unless GOMEMLIMIT sets
	// another.
	MaxConversions int `env:"MAX_CONVERSIONS" envDefault:"2" min:"1"`

	// Documents of one organisation that may wait for their conversion.
	MaxConversionsWaiting int `env:"MAX_CONVERSIONS_WAITING" envDefault:"50" min:"1"`

	// --- Pictures of pages ---

	// What draws the pages of documents for people with slow lines: poppler, in a sandbox on this machine; auto, which is poppler if it
	// and the sandbox are available; or off, where the web app shows pages only from the file.
	PagePictures string `env:"PAGE_PICTURES" envDefault:"auto"`

	// Pages drawn at the same time. Each takes one processor, and its file and up to half a gigabyte of memory.
	MaxPagePictures int `env:"MAX_PAGE_PICTURES" envDefault:"2" min:"1"`

	// When the evidence certificate of a document is made: completion (by a job after the document is completed, one at a time) or request
	// (when it is first downloaded).
	Evidence string `env:"EVIDENCE" envDefault:"completion"`

	// --- Load ---

	// Lowest rate, in bytes per second, at which a client must send its request and take its answer. It may fall behind by 30
	// seconds.
	LeastRate Size `env:"LEAST_RATE" envDefault:"1KiB"`

	// How long an operation that reads or writes a record, such as a list, may take before it is answered 503. The time in which the
	// request arrives does not count.
	AnswerWithin time.Duration `env:"ANSWER_WITHIN" envDefault:"5s" min:"1s"`

	// How long an operation may take that reads a file, signs, or calls other machines.
	WorkWithin time.Duration `env:"WORK_WITHIN" envDefault:"2m" min:"10s"`

	// Space kept free on the disks of the documents and of an SQLite database, but at most a tenth of a disk: uploads, conversions
	// and verifications are refused with 503 before they use it, while signatures, stamps and seals continue. 0: nothing is kept
	// free.
	DiskReserve Size `env:"DISK_RESERVE" envDefault:"512MiB"`

	// Free space, at most a fifth of a disk, below which the service warns: in its log, and in the administrators' list of what makes no progress. 0: it does not.
	DiskWarning Size `env:"DISK_WARNING" envDefault:"5GiB"`

	// Uploads received at the same time. Each takes disk space, and hardly any memory.
	MaxUploads int `env:"MAX_UPLOADS" envDefault:"64" min:"1"`

	// Uploads of one organisation received at the same time.
	MaxUploadsPerOrganisation int `env:"MAX_UPLOADS_PER_ORGANISATION" envDefault:"16" min:"1"`

	// Most disk space that uploads may take until their documents are created. One file of MAX_FILE always fits, here and below.
	MaxSpool Size `env:"MAX_SPOOL" envDefault:"4GiB"`

	// Most of it that one organisation may use.
	MaxSpoolPerOrganisation Size `env:"MAX_SPOOL_PER_ORGANISATION" envDefault:"1GiB"`

	// How long an upload waits for its turn before it is refused and may be retried later.
	UploadWait time.Duration `env:"UPLOAD_WAIT" envDefault:"10s" min:"0s"`

	// Files to be verified that are received at the same time, from all callers. Uploads of members are counted separately.
	MaxVerifyUploads int `env:"MAX_VERIFY_UPLOADS" envDefault:"64" min:"1"`

	// Those of one address. An IPv6 network of 64 bits counts as one address.
	MaxVerifyUploadsPerAddress int `env:"MAX_VERIFY_UPLOADS_PER_ADDRESS" envDefault:"4" min:"1"`

	// Most disk space that files to be verified may take.
	MaxVerifySpool Size `env:"MAX_VERIFY_SPOOL" envDefault:"1GiB"`

	// Most of it that one address may use.
	MaxVerifySpoolPerAddress Size `env:"MAX_VERIFY_SPOOL_PER_ADDRESS" envDefault:"128MiB"`

	// Files verified at the same time. Each is read once from end to end. One address may use at most all but one.
	MaxVerifications int `env:"MAX_VERIFICATIONS" envDefault:"2" min:"1"`

	// How long a file waits to be verified before it is refused and may be retried later.
	VerifyWait time.Duration `env:"VERIFY_WAIT" envDefault:"1m" min:"0s"`

	// Requests with a body that are answered at the same time without an account, such as logins.
	MaxAnonymous int `env:"MAX_ANONYMOUS" envDefault:"2048" min:"1"`

	// Those of one address.
	MaxAnonymousPerAddress int `env:"MAX_ANONYMOUS_PER_ADDRESS" envDefault:"256" min:"1"`

	// Requests of one person, or one guest, that are answered at the same time, except streams of events. A download that the client
	// does not take counts until it is aborted.
	MaxRequestsPerPerson int `env:"MAX_REQUESTS_PER_PERSON" envDefault:"128" min:"1"`

	// Those of one API key, beside what its person may use.
	MaxRequestsPerKey int `env:"MAX_REQUESTS_PER_KEY" envDefault:"64" min:"1"`

	// Requests that one API key may make per second, in the long run. 0: any number.
	KeyRequestsPerSecond int `env:"KEY_REQUESTS_PER_SECOND" envDefault:"50" min:"0"`

	// Streams of events at the same time.
	MaxStreams int `env:"MAX_STREAMS" envDefault:"10000" min:"1"`

	// Those of documents of one organisation.
	MaxStreamsPerOrganisation int `env:"MAX_STREAMS_PER_ORGANISATION" envDefault:"2500" min:"1"`

	// Those of one person, or one guest.
	MaxStreamsPerPerson int `env:"MAX_STREAMS_PER_PERSON" envDefault:"64" min:"1"`

	// Files and serials that one address may have verified per minute, in the long run. 0: any number.
	VerificationsPerMinute int `env:"VERIFICATIONS_PER_MINUTE" envDefault:"20" min:"0"`

	// Timestamps (/authority/tsa) that one address may request from the embedded authority per minute, in the long run. Signing
	// inside the service does not count. 0: any number.
	TimestampsPerMinute int `env:"TIMESTAMPS_PER_MINUTE" envDefault:"60" min:"0"`

	// OCSP answers (/authority/ocsp) that one address may request per minute, in the long run. A PDF reader requests one for each
	// certificate; above the limit it is answered tryLater and finds the same status in the revocation list, which has no limit. 0:
	// any number.
	StatusesPerMinute int `env:"STATUSES_PER_MINUTE" envDefault:"1200" min:"0"`

	// Passwords checked at the same time. Each takes 19 MiB of memory and about 50 ms of a processor. 0: half the number of
	// processors, so that logins leave the others for everything else.
	MaxLogins int `env:"MAX_LOGINS" envDefault:"0" min:"0"`

	// Jobs (stamping, sealing) processed at the same time.
	MaxJobs int `env:"MAX_JOBS" envDefault:"4" min:"1"`

	// Requests that one address may make per second, in the long run. 0: any number.
	RequestsPerSecond int `env:"REQUESTS_PER_SECOND" envDefault:"0" min:"0"`

	// Requests that one address may make at once before that limit applies. 0: those of ten seconds.
	RequestsAtOnce int `env:"REQUESTS_AT_ONCE" envDefault:"0" min:"0"`

	// Password attempts of one address on one account before each further one waits ten seconds.
	LoginTries int `env:"LOGIN_TRIES" envDefault:"10" min:"1"`

	// Password attempts of all unknown devices and addresses together on one account before each further one is delayed. A device or
	// an address that logged in to the account before does not count.
	LoginTriesPerAccount int `env:"LOGIN_TRIES_PER_ACCOUNT" envDefault:"100" min:"1"`

	// Longest delay of such an attempt.
	LoginDelay time.Duration `env:"LOGIN_DELAY" envDefault:"10s" min:"1s"`

	// Password attempts of one address on all accounts before each further one waits a second. A whole company may share an address.
	LoginTriesPerAddress int `env:"LOGIN_TRIES_PER_ADDRESS" envDefault:"100" min:"1"`

	// --- Accounts ---

	// How long an access token is valid.
	AccessLifetime time.Duration `env:"ACCESS_LIFETIME" envDefault:"24h" min:"1m"`

	// How long a refresh token is valid. It is used once and replaced by a new one.
	RefreshLifetime time.Duration `env:"REFRESH_LIFETIME" envDefault:"720h" min:"1m"`

	// How long the former access token of a client is still valid after a refresh, for requests that are already on their way.
	RefreshGrace time.Duration `env:"REFRESH_GRACE" envDefault:"30s" min:"1s"`

	// How long the token that a guest's link opens is valid. The link itself is valid until it is replaced or revoked, or
	// LINK_LIFETIME ends it.
	GuestLifetime time.Duration `env:"GUEST_LIFETIME" envDefault:"24h" min:"1m"`

	// How long a guest's link works after the document was completed, rejected or canceled or has expired, so that guests can
	// download what they signed. The owner may create a new link for a completed document. 0: links do not expire.
	LinkLifetime time.Duration `env:"LINK_LIFETIME" envDefault:"720h" min:"0s"`

	// How long a login of the web app is valid.
	SessionLifetime time.Duration `env:"SESSION_LIFETIME" envDefault:"24h" min:"1m"`

	// How long a device or an address is known after its last login to an account. A known one logs in without delay while others
	// try passwords on the account.
	KnownDeviceLifetime time.Duration `env:"KNOWN_DEVICE_LIFETIME" envDefault:"4320h" min:"1h"`

	// Smallest number of characters of a password. Common passwords, repetitions, sequences and passwords made of the person's own
	// name, e-mail or organisation are refused too.
	MinPassword int `env:"MIN_PASSWORD" envDefault:"12" min:"8"`

	// How long the answer to a request with an Idempotency-Key is kept.
	IdempotencyLifetime time.Duration `env:"IDEMPOTENCY_LIFETIME" envDefault:"24h" min:"1m"`
}
