package config

import (
	"log/slog"
	"time"
)

// Config is everything that can be set. The comment of a member is what the operator reads about it, so it
// speaks to him. A member tagged secret is never printed.
type Config struct {
	// --- Service ---

	// Folder for everything that has to last: the database, documents, keys. Back it up as a whole.
	DataDir string `env:"DATA_DIR" envDefault:"data"`

	// Address to listen on, host:port. An empty host means every network of the machine.
	Listen string `env:"LISTEN" envDefault:"127.0.0.1:8080"`

	// Address under which clients reach the service, such as https://segel.example.com. It appears in links, QR codes and, for good,
	// in the certificates that the embedded authority issues. Empty: the address listened on.
	PublicURL string `env:"PUBLIC_URL"`

	// Database, as a PostgreSQL URL such as postgres://user:password@host/segel. Empty: SQLite in the data folder.
	Database string `env:"DATABASE" secret:"true"`

	// How long one transaction of the database may take, the wait for a connection included. PostgreSQL ends statements at that age
	// too. Migrations are not bounded.
	DatabaseTimeout time.Duration `env:"DATABASE_TIMEOUT" envDefault:"15s"`

	// Whether serve brings the database to the form of this program: auto, or off, which refuses to start until segel migrate was
	// run, for several services on one database. No other command ever does.
	Migrate string `env:"MIGRATE" envDefault:"auto"`

	// File with the key that seals all private keys at rest. Made at the first start. Empty: master.key in the data folder. Keep a
	// copy elsewhere: without it no stored key can be used again.
	MasterKeyFile string `env:"MASTER_KEY_FILE"`

	// Networks of proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8,127.0.0.1. Empty: none is, and the address of the
	// connection is the caller's.
	TrustedProxies []Network `env:"TRUSTED_PROXIES"`

	// Origins whose pages may call the service from a browser, such as https://app.example.com, or * for any. Cookies are never
	// accepted from another origin.
	CORSOrigins []string `env:"CORS_ORIGINS"`

	// The one path segment that stands for {service} in /v1/econtract/{service}/sign/. Empty: any is accepted.
	ServiceSegment string `env:"SERVICE_SEGMENT"`

	// Further paths for clients that know the operations under other names, each as /their/path=/our/path, separated by commas. Our path
	// is written as the interface's documentation shows it; parts in braces are carried over by name, such as
	// /status/{document_id}=/v1/econtract/web_app/document/status/{document_id}.
	Paths map[string]string `env:"PATHS" envKeyValSeparator:"="`

	// Least level that is logged: debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info"`

	// How lines are logged: text or json.
	LogFormat string `env:"LOG_FORMAT" envDefault:"text"`

	// Token that lets a monitor read /metrics, sent as Authorization: Bearer. Empty: only an operator's token does.
	MetricsToken string `env:"METRICS_TOKEN" secret:"true"`

	// How long the service goes on as before when it is told to stop, while /readyz already answers 503, so that a balancer sends no more
	// requests to it. A few seconds more than the balancer needs to find out.
	DrainWait time.Duration `env:"DRAIN_WAIT" envDefault:"0s"`

	// How long requests and jobs at work may take to finish, together, once the service takes no more of them.
	ShutdownWait time.Duration `env:"SHUTDOWN_WAIT" envDefault:"20s"`

	// --- First start ---

	// Name of the organisation that the first start makes.
	Organisation string `env:"ORGANISATION" envDefault:"Segel"`

	// E-mail of the admin that the first start makes. His password is printed once.
	AdminEmail string `env:"ADMIN_EMAIL" envDefault:"admin@localhost"`

	// Duty stamps that a new organisation is granted, once, with the sandbox office. They are specimens of no legal value. With
	// another office an organisation starts with none.
	GrantStamps int `env:"GRANT_STAMPS" envDefault:"1000"`

	// Signatures that a new organisation is granted, once, with the sandbox office. With another it starts with none.
	GrantSignatures int `env:"GRANT_SIGNATURES" envDefault:"1000"`

	// --- Documents ---

	// Largest file, decoded.
	MaxFile Size `env:"MAX_FILE" envDefault:"50MiB"`

	// Most pages of a file.
	MaxPages int `env:"MAX_PAGES" envDefault:"2000"`

	// Most participants of a document.
	MaxParticipants int `env:"MAX_PARTICIPANTS" envDefault:"100"`

	// Most placements on a document, stamps included.
	MaxPlacements int `env:"MAX_PLACEMENTS" envDefault:"500"`

	// Most duty stamps on a document.
	MaxStamps int `env:"MAX_STAMPS" envDefault:"50"`

	// Largest share of a page, in percent, that the boxes for signatures and initials of one person cover together. Those of all people
	// together cover at most twice as much. Duty stamps have sides of 40 to 200 points instead.
	MaxBoxArea int `env:"MAX_BOX_AREA" envDefault:"25"`

	// Most drafts of one organisation at a time.
	MaxDrafts int `env:"MAX_DRAFTS" envDefault:"1000"`

	// Most that the files of all documents of one organisation may take together when another is uploaded. What was begun is always
	// finished: signatures, stamps and seals are counted, and never refused. Deleting a draft gives its room back.
	MaxStorage Size `env:"MAX_STORAGE" envDefault:"50GiB"`

	// Most characters of a title or a file name.
	MaxText int `env:"MAX_TEXT" envDefault:"255"`

	// Finalize treats a document on which only duty stamps are placed as a stamping order, even when others than its owner are
	// listed as signers. For old clients that cannot say stamp_only themselves.
	StampOnly bool `env:"STAMP_ONLY" envDefault:"false"`

	// --- Trust ---

	// Time-stamp authorities (RFC 3161) that signatures, seals and documents get their time from, in the order in which they are
	// asked, such as https://tsa.example.com/tsr,https://user:password@tsa.example.org/. Empty: the embedded authority. Without a
	// timestamp nothing is signed.
	TimestampURLs []string `env:"TIMESTAMP_URLS" secret:"true"`

	// How long one time-stamp authority may take before the next is asked.
	TimestampTimeout time.Duration `env:"TIMESTAMP_TIMEOUT" envDefault:"10s"`

	// How far the clocks of the database and of time-stamp authorities may be from this machine's, and how far a recorded event may
	// lie in the future, before nothing is signed, stamped or sealed any more. At most 5m.
	ClockTolerance time.Duration `env:"CLOCK_TOLERANCE" envDefault:"2m"`

	// Folder of root certificates, as files of PEM or DER ending in .pem, .crt, .cer or .der, by which files are judged, and to which
	// the chain of every time-stamp authority has to lead. Needed with TIMESTAMP_URLS; the embedded authority is always trusted. Roots
	// in its subfolder signing count for signatures alone, those in timestamping for time alone, all others for both, and those in
	// stamping mark the office that issues duty stamps besides. In segel stand roots of other Segel installations, whose certificate
	// policies are read like the own ones.
	TrustDir string `env:"TRUST_DIR"`

	// Networks that requests of ours may reach though they are not on the public internet, such as 10.0.0.0/8,127.0.0.1. Time-stamp
	// authorities, OCSP responders and revocation lists anywhere else inside are refused, whatever a certificate names. Proxies of
	// the environment are never used.
	OutboundPrivate []Network `env:"OUTBOUND_PRIVATE"`

	// Ports that such requests may reach, besides those that TIMESTAMP_URLS names.
	OutboundPorts []uint16 `env:"OUTBOUND_PORTS" envDefault:"80,443"`

	// How long before the newest timestamp of a completed document loses its strength, because the certificate of its authority
	// runs out, it is renewed by a further one.
	RenewBefore time.Duration `env:"RENEW_BEFORE" envDefault:"8760h"`

	// --- Stamp office ---

	// Where duty stamps come from: sandbox, an office of our own in process, whose stamps are specimens of no legal value; adapter, the
	// office through its adapter, which shares a folder with us; cloud, the office, to which documents are uploaded.
	StampOffice string `env:"STAMP_OFFICE" envDefault:"sandbox"`

	// Address of the office for logging in, the status of a serial and the balance.
	StampLoginURL string `env:"STAMP_LOGIN_URL"`

	// Address of the office for serials and kinds of documents. Empty: STAMP_LOGIN_URL.
	StampSerialURL string `env:"STAMP_SERIAL_URL"`

	// Address of the office for stamping uploaded documents. Empty: STAMP_SERIAL_URL.
	StampCloudURL string `env:"STAMP_CLOUD_URL"`

	// User of the account at the office.
	StampUser string `env:"STAMP_USER"`

	// Password of the account at the office.
	StampPassword string `env:"STAMP_PASSWORD" secret:"true"`

	// Addresses of the office's adapters, such as http://adapter:7777. They all see STAMP_SHARED_DIR.
	StampAdapters []string `env:"STAMP_ADAPTERS"`

	// Documents that one adapter is given at a time. The adapters of today work on one.
	StampSlots int `env:"STAMP_SLOTS" envDefault:"1"`

	// Folder that is shared with the adapters. Files in it are removed after each stamp.
	StampSharedDir string `env:"STAMP_SHARED_DIR"`

	// How the adapters name that folder.
	StampMount string `env:"STAMP_MOUNT" envDefault:"/sharefolder"`

	// Networks in which the office or its adapters may be, though they are not public, such as 10.1.0.0/16.
	StampNetworks []Network `env:"STAMP_NETWORKS"`

	// Our words for kinds of documents, and the office's code or name of each, such as agreement=Surat Perjanjian,receipt=2.
	StampKinds map[string]string `env:"STAMP_KINDS" envKeyValSeparator:"="`

	// The kind of documents that name none: a word of STAMP_KINDS, or the office's code or name.
	StampKind string `env:"STAMP_KIND" envDefault:"Surat Perjanjian"`

	// What identifies who bears the duty, for accounts that have to tell: KTP, NPWP or PASSPORT. Empty: nothing is told.
	StampIdentity string `env:"STAMP_IDENTITY"`

	// Number of that identity.
	StampIdentityNumber string `env:"STAMP_IDENTITY_NUMBER"`

	// Name of who bears the duty. Empty: that of the document's organisation.
	StampIdentityName string `env:"STAMP_IDENTITY_NAME"`

	// Path at STAMP_SERIAL_URL from which the picture of a serial can be had again, with {serial} in it. Empty: it cannot, and a serial
	// whose answer was lost waits for a person in the adapter form.
	StampPicturePath string `env:"STAMP_PICTURE_PATH"`

	// What the office issues has no legal value, as at its staging hosts. Only an account at the office in production sets this to false.
	StampSpecimen bool `env:"STAMP_SPECIMEN" envDefault:"true"`

	// Largest file that is sent to the office. A larger one is refused before a serial is paid for. 0: as MAX_FILE allows.
	StampMaxFile Size `env:"STAMP_MAX_FILE" envDefault:"0"`

	// Which encrypted files, of those that open without a password, the office takes: any, unrestricted (those whose permissions
	// leave room for changes) or none. All others are refused before a serial is paid for. Empty: any with the sandbox office,
	// unrestricted with another.
	StampEncrypted string `env:"STAMP_ENCRYPTED"`

	// How long one call to the office may take.
	StampTimeout time.Duration `env:"STAMP_TIMEOUT" envDefault:"30s"`

	// How long stamping, or sending or fetching a document, may take.
	StampFileTimeout time.Duration `env:"STAMP_FILE_TIMEOUT" envDefault:"2m"`

	// How long after a purchase that timed out the office may still carry it out. Until then no other is made for the same stamp.
	StampSettle time.Duration `env:"STAMP_SETTLE" envDefault:"2m"`

	// How often the account at the office is held against our register of serials. 0: never by itself.
	ReconcileEvery time.Duration `env:"RECONCILE_EVERY" envDefault:"24h"`

	// --- Word documents ---

	// What converts Word documents to PDF: libreoffice, in a fence on this machine; the URL of a Gotenberg service, such as
	// http://gotenberg:3000; auto, which is libreoffice where it and its fence are there; or off, which refuses Word documents.
	Convert string `env:"CONVERT" envDefault:"auto"`

	// Runs LibreOffice without its fence where none can be had. It then reads this machine's files and network for whoever uploads. Taken
	// only when it says i-trust-every-uploader.
	ConvertUnfenced string `env:"CONVERT_UNFENCED"`

	// Makes PDF/A-2b of Word documents.
	ConvertPDFA bool `env:"CONVERT_PDFA" envDefault:"false"`

	// How long an upload waits for its conversion before it is answered without.
	ConvertWait time.Duration `env:"CONVERT_WAIT" envDefault:"10s"`

	// How long the conversion of one document may take.
	ConvertTime time.Duration `env:"CONVERT_TIME" envDefault:"60s"`

	// Documents converted at the same time. Each takes up to half a gigabyte of memory and one processor. That memory is left out of the
	// soft limit that the service sets on its own, 70 percent of what there is, unless GOMEMLIMIT says another.
	MaxConversions int `env:"MAX_CONVERSIONS" envDefault:"2"`

	// Documents of one organisation that may wait for their conversion.
	MaxConversionsWaiting int `env:"MAX_CONVERSIONS_WAITING" envDefault:"50"`

	// --- Load ---

	// Least rate, in bytes a second, at which a client has to send its request and take its answer. It may fall behind by half a minute.
	LeastRate Size `env:"LEAST_RATE" envDefault:"1KiB"`
	// How long an operation may take that reads or writes a record, such as a list, before it is answered 503. The time in which the
	// request arrives does not count.
	AnswerWithin time.Duration `env:"ANSWER_WITHIN" envDefault:"5s"`

	// How long an operation may take that reads a file, signs, or asks other machines.
	WorkWithin time.Duration `env:"WORK_WITHIN" envDefault:"2m"`

	// What is kept free on the disks of the documents and of an SQLite database, but at most a tenth of a disk: uploads, conversions and
	// verifications are refused with 503 before they use it, and signatures, stamps and seals go on. 0: nothing is kept.
	DiskReserve Size `env:"DISK_RESERVE" envDefault:"512MiB"`

	// Uploads received at the same time. Each takes room on the disk, hardly any memory.
	MaxUploads int `env:"MAX_UPLOADS" envDefault:"64"`

	// Uploads of one organisation received at the same time.
	MaxUploadsPerOrganisation int `env:"MAX_UPLOADS_PER_ORGANISATION" envDefault:"16"`

	// Most that uploads may take on the disk until their documents are made. One file of MAX_FILE always fits, here and below.
	MaxSpool Size `env:"MAX_SPOOL" envDefault:"4GiB"`

	// Most of it that one organisation may take.
	MaxSpoolPerOrganisation Size `env:"MAX_SPOOL_PER_ORGANISATION" envDefault:"1GiB"`

	// How long an upload waits for its turn before it is told to try again later.
	UploadWait time.Duration `env:"UPLOAD_WAIT" envDefault:"10s"`

	// Files to be verified that are received at the same time, from anybody. Uploads of members have places of their own.
	MaxVerifyUploads int `env:"MAX_VERIFY_UPLOADS" envDefault:"64"`

	// Those of one address. A network of 64 bits of IPv6 counts as one address.
	MaxVerifyUploadsPerAddress int `env:"MAX_VERIFY_UPLOADS_PER_ADDRESS" envDefault:"4"`

	// Most that files to be verified may take on the disk.
	MaxVerifySpool Size `env:"MAX_VERIFY_SPOOL" envDefault:"1GiB"`

	// Most of it that one address may take.
	MaxVerifySpoolPerAddress Size `env:"MAX_VERIFY_SPOOL_PER_ADDRESS" envDefault:"128MiB"`

	// Files judged at the same time for anybody who asks. Each is read once from end to end. One address has at most all but one.
	MaxVerifications int `env:"MAX_VERIFICATIONS" envDefault:"2"`

	// How long a file waits to be judged before its client is told to try again later.
	VerifyWait time.Duration `env:"VERIFY_WAIT" envDefault:"1m"`

	// Requests with a body that are answered at the same time without an account, such as logins.
	MaxAnonymous int `env:"MAX_ANONYMOUS" envDefault:"2048"`

	// Those of one address.
	MaxAnonymousPerAddress int `env:"MAX_ANONYMOUS_PER_ADDRESS" envDefault:"256"`

	// Requests of one person, or one guest, that are answered at the same time, but for streams of events. Downloads that are not
	// taken count until they are given up.
	MaxRequestsPerPerson int `env:"MAX_REQUESTS_PER_PERSON" envDefault:"128"`

	// Streams of events at the same time.
	MaxStreams int `env:"MAX_STREAMS" envDefault:"10000"`

	// Those of documents of one organisation.
	MaxStreamsPerOrganisation int `env:"MAX_STREAMS_PER_ORGANISATION" envDefault:"2500"`

	// Those of one person, or one guest.
	MaxStreamsPerPerson int `env:"MAX_STREAMS_PER_PERSON" envDefault:"64"`

	// Files and serials that one address may ask about in a minute, in the long run. 0: any number.
	VerificationsPerMinute int `env:"VERIFICATIONS_PER_MINUTE" envDefault:"20"`

	// Timestamps (/authority/tsa) that one address may ask the embedded authority for in a minute, in the long run. Signing inside the
	// service does not count. 0: any number.
	TimestampsPerMinute int `env:"TIMESTAMPS_PER_MINUTE" envDefault:"60"`

	// OCSP answers (/authority/ocsp) that one address may ask for in a minute, in the long run. Readers of files ask for one for each
	// certificate; beyond it they are told to try later and find the same in the revocation list, which is not bounded. 0: any number.
	StatusesPerMinute int `env:"STATUSES_PER_MINUTE" envDefault:"1200"`

	// Passwords checked at the same time. Each takes 19 MiB of memory and some 50 ms of a processor. 0: half as many as there are
	// processors, so that logins leave the others time for everything else.
	MaxLogins int `env:"MAX_LOGINS" envDefault:"0"`

	// Jobs (stamping, sealing) worked on at the same time.
	MaxJobs int `env:"MAX_JOBS" envDefault:"4"`

	// Requests that one address may make in a second, in the long run. 0: any number.
	RequestsPerSecond int `env:"REQUESTS_PER_SECOND" envDefault:"0"`

	// Requests that one address may make at once before that counts. 0: those of ten seconds.
	RequestsAtOnce int `env:"REQUESTS_AT_ONCE" envDefault:"0"`

	// Tries of a password that one address has on one account before it must wait ten seconds for each further one.
	LoginTries int `env:"LOGIN_TRIES" envDefault:"10"`

	// Tries of a password that all unknown devices and addresses together have on one account before each further one is held up. A
	// device or an address that logged in to the account before does not count here.
	LoginTriesPerAccount int `env:"LOGIN_TRIES_PER_ACCOUNT" envDefault:"100"`

	// How long such a try is held up at most.
	LoginDelay time.Duration `env:"LOGIN_DELAY" envDefault:"10s"`

	// Tries of passwords that one address has on all accounts before it must wait a second for each further one. A whole office
	// may share an address.
	LoginTriesPerAddress int `env:"LOGIN_TRIES_PER_ADDRESS" envDefault:"100"`

	// --- Accounts ---

	// How long an access token is good for.
	AccessLifetime time.Duration `env:"ACCESS_LIFETIME" envDefault:"24h"`

	// How long a refresh token is good for. It is used once and replaced by a new one.
	RefreshLifetime time.Duration `env:"REFRESH_LIFETIME" envDefault:"720h"`

	// How long the former access token of a client still works after it was refreshed, for requests that are on their way.
	RefreshGrace time.Duration `env:"REFRESH_GRACE" envDefault:"30s"`

	// How long the token that a guest's link opens is good for. The link itself is good until it is replaced
	// or revoked, or LINK_LIFETIME ends it.
	GuestLifetime time.Duration `env:"GUEST_LIFETIME" envDefault:"24h"`

	// How long a guest's link works after the document was completed, rejected or canceled or has expired, so that guests can
	// download what they signed. The owner may make a new one for a completed document. 0: links do not expire.
	LinkLifetime time.Duration `env:"LINK_LIFETIME" envDefault:"720h"`

	// How long a login of the web app is good for.
	SessionLifetime time.Duration `env:"SESSION_LIFETIME" envDefault:"24h"`

	// How long a device or an address is known after its last login to an account. Known ones are let in at once while others try
	// passwords on the account.
	KnownDeviceLifetime time.Duration `env:"KNOWN_DEVICE_LIFETIME" envDefault:"4320h"`

	// Least number of characters of a password. Besides, common passwords, repetitions, sequences and the person's own words are refused.
	MinPassword int `env:"MIN_PASSWORD" envDefault:"12"`

	// How long the answer to a request with an Idempotency-Key is kept.
	IdempotencyLifetime time.Duration `env:"IDEMPOTENCY_LIFETIME" envDefault:"24h"`
}
