// Command segel signs contracts and affixes duty stamps, as a service or on single files.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/mattn/go-isatty"

	"segel/internal/api"
	"segel/internal/config"
	"segel/internal/durable"
)

// version is set by the build.
var version = "unknown"

// command is the command line.
type command struct {
	Serve     serveCommand     `cmd:"" help:"Start the service."`
	User      userCommand      `cmd:"" help:"Users of a data folder; works beside a running service."`
	Org       orgCommand       `cmd:"" help:"Organisations of a data folder; works beside a running service."`
	Sign      signCommand      `cmd:"" help:"Sign one file, without a service."`
	Verify    verifyCommand    `cmd:"" help:"Validate the signatures of files."`
	Authority authorityCommand `cmd:"" help:"The embedded certificate authority."`
	Office    officeCommand    `cmd:"" help:"Serve a sandbox stamp office over the stamp office's protocol, for tests."`
	Key       keyCommand       `cmd:"" help:"API keys of the people of a data folder; works beside a running service."`
	SSO       ssoCommand       `cmd:"" name:"sso" help:"The identity provider of an organisation and its mail domains."`
	Webhook   webhookCommand   `cmd:"" help:"Addresses that the events of an organisation are sent to."`
	Mail      mailCommand      `cmd:"" help:"Messages to people: their results, their text, and another try."`
	Quota     quotaCommand     `cmd:"" help:"Quotas of organisations, and their use."`
	Reconcile reconcileCommand `cmd:"" help:"Compare the stamp office's account with our register of serials. Ends with 0 if every difference is explained, 1 if one is not, 2 if the office cannot be reached."`
	Audit     auditCommand     `cmd:"" help:"The audit log; works beside a running service."`
	Doctor    doctorCommand    `cmd:"" help:"Examine what the service needs: configuration, secrets, database, clock, certificates, files, backup, disk, public address, mail, sandbox, fonts. Works while the service runs or is stopped, and changes nothing. Ends with 1 if there is a problem."`
	Fsck      fsckCommand      `cmd:"" help:"Check that files, database and log agree."`
	Blobs     blobsCommand     `cmd:"" help:"The files of documents: move them between the data folder and a bucket, and change the keys that encrypt them."`
	Backup    backupCommand    `cmd:"" help:"Copy the installation to a folder or bucket while it is used; list, verify and prune such copies."`
	Restore   restoreCommand   `cmd:"" help:"Make the installation of a backup in an empty place, and check it."`
	State     stateCommand     `cmd:"" help:"The sealed keys and the records of the stamp office: move them between the data folder and the database."`
	MasterKey masterKeyCommand `cmd:"" name:"master-key" help:"The master key, which seals all others: its status, its exchange and its backup."`
	Nodes     nodesCommand     `cmd:"" help:"The processes that share a PostgreSQL database."`
	Clock     clockCommand     `cmd:"" help:"Compare the clock with all other available clocks, and confirm it."`
	Renew     renewCommand     `cmd:"" help:"Renew document timestamps that are about to expire."`
	Adopt     adoptCommand     `cmd:"" help:"Join database, keys and blobs into one installation, after a restore or for one of an earlier release. Shows what was found and asks for confirmation."`
	Migrate   migrateCommand   `cmd:"" help:"Migrate the database to this program's schema, or say what that would do (--check). Only this command and serve migrate."`
	Config    configCommand    `cmd:"" help:"Print the effective configuration with its comments, or write it to a file that commands read."`
	OpenAPI   openapiCommand   `cmd:"" name:"openapi" help:"Print the specification of the HTTP interface (OpenAPI 3.1)."`
	Version   versionCommand   `cmd:"" help:"Print the version."`

	HashPasswords hashPasswordsCommand `cmd:"" hidden:"" name:"hash-passwords"` // a service starts it, see newPasswordHasher
}

// environment is what a command uses besides its arguments.
type environment struct {
	ctx    context.Context
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	env    []string

	adjust func(*app) // changes the parts before a command uses them; nil: nothing. Tests set it
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := &environment{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Environ()}
	os.Exit(w.runCommand(os.Args[1:]))
}

// runCommand runs the command line and returns the exit status: 0 done, 1 refused or not done, 2 not understood, 3 a part of
// the installation is missing or belongs to another one, 4 the tables of the database need segel migrate or a newer program.
func (w *environment) runCommand(args []string) int {
	var c command
	exit := -1
	parser, err := kong.New(&c, kong.Name("segel"), kong.Description("Signs contracts and affixes duty stamps.\n\nExit statuses: 0 done, 1 refused or not done, 2 not understood, "+
		"3 a part of the installation (database, keys, blobs) is missing or belongs to another one, 4 the tables of the database need segel migrate or a newer release."),
		kong.UsageOnError(), kong.Writers(w.stdout, w.stderr), kong.Exit(func(code int) { exit = code }), kong.Bind(w))
	if err != nil {
		fmt.Fprintln(w.stderr, "segel:", err)
		return 2
	}
	k, err := parser.Parse(args)
	if exit >= 0 { // --help was printed
		return exit
	}
	if err != nil {
		fmt.Fprintln(w.stderr, "segel:", err)
		return 2
	}
	if err := k.Run(w); err != nil {
		var s exitStatus
		if errors.As(err, &s) {
			return int(s)
		}
		fmt.Fprintln(w.stderr, "segel:", err)
		if s, ok := exitOf(err); ok {
			return int(s)
		}
		return 1
	}
	return 0
}

// hasTerminal reports whether standard output is a terminal: a person reads it, and it is stored nowhere.
func (w *environment) hasTerminal() bool {
	f, ok := w.stdout.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// confirm asks a question, and returns the error refused unless the answer is yes.
func (w *environment) confirm(question, refused string) error {
	fmt.Fprint(w.stdout, question)
	answer, err := bufio.NewReader(w.stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		return errors.New(refused)
	}
	return nil
}

// exitStatus is an error that ends the program with that status. The command that returns it has already printed the reason.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// dataFlag names the data folder and the file of settings.
type dataFlag struct {
	Data   string `help:"Data folder." placeholder:"DIR"`
	Config string `help:"File of settings, which segel config --write makes; default: SEGEL_CONFIG. The environment takes precedence." placeholder:"FILE"`
}

// loadConfig reads the configuration, with the flags that were given. It checks the mail servers with the parser of the package that uses them, which
// internal/config does not import: otherwise a wrong one is found only when an installation is opened, and a first start has created it by then.
func (d dataFlag) loadConfig(w *environment, more map[string]string) (config.Config, error) {
	environ, err := d.readEnvironment(w)
	if err != nil {
		return config.Config{}, err
	}
	flags := map[string]string{}
	for name, value := range more {
		if value != "" {
			flags[name] = value
		}
	}
	if d.Data != "" {
		flags["SEGEL_DATA_DIR"] = d.Data
	}
	conf, err := config.Load(environ, flags)
	if err != nil {
		return config.Config{}, err
	}
	if _, err := parseMailServers(conf); err != nil {
		return config.Config{}, err
	}
	return conf, nil
}

// settingsFile returns the path of the file of settings; empty: there is none.
func (d dataFlag) settingsFile(w *environment) string {
	path := d.Config
	for _, line := range w.env {
		if named, ok := strings.CutPrefix(line, config.FileVariable+"="); ok && d.Config == "" {
			path = named
		}
	}
	return path
}

// readEnvironment returns the lines of the file of settings, and those of the environment, which win.
func (d dataFlag) readEnvironment(w *environment) ([]string, error) {
	path := d.settingsFile(w)
	if path == "" {
		return w.env, nil
	}
	settings, err := config.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("file of settings: %w", err)
	}
	return append(settings, w.env...), nil
}

// withApp opens an installation for the duration of do.
func (d dataFlag) withApp(w *environment, to access, do func(*app) error) error {
	conf, err := d.loadConfig(w, nil)
	if err != nil {
		return err
	}
	a, err := openApp(w.ctx, conf, w.newLogger(conf), to)
	if err != nil {
		return err
	}
	defer a.close()
	if w.adjust != nil {
		w.adjust(a)
	}
	return do(a)
}

type versionCommand struct{}

func (versionCommand) Run(w *environment) error {
	_, err := fmt.Fprintln(w.stdout, "segel", version)
	return err
}

type configCommand struct {
	dataFlag
	Write string `help:"Write them to a new file instead, with secrets and mode 0600, for --config." placeholder:"FILE"`
}

func (c configCommand) Run(w *environment) error {
	conf, err := c.loadConfig(w, nil)
	if err != nil {
		return err
	}
	if c.Write == "" {
		return conf.Print(w.stdout)
	}
	text, err := conf.FileText()
	if err != nil {
		return err
	}
	if err := durable.WriteNew(c.Write, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdout, "wrote %s\n", c.Write)
	return err
}

// openapiCommand prints the specification of the HTTP interface.
type openapiCommand struct{}

func (openapiCommand) Run(w *environment) error {
	spec, err := api.Specification()
	if err != nil {
		return err
	}
	_, err = w.stdout.Write(spec)
	return err
}

// renewCommand does manually what a running service does every hour.
type renewCommand struct {
	dataFlag
	All bool `help:"Examine every completed document, not only those that are due: use it after SEGEL_RENEW_BEFORE was raised."`
}

func (c renewCommand) Run(w *environment) error {
	return c.withApp(w, writing, func(a *app) error {
		renew := a.workflow.RenewDue
		if c.All {
			renew = a.workflow.RenewAll
		}
		done, err := renew(w.ctx)
		fmt.Fprintf(w.stdout, "%d documents renewed, %d postponed\n", done.Renewed, done.PutOff)
		return err
	})
}
