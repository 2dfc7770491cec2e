package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

const envPrefix = "SEGEL_"

// Load reads the configuration from an environment of NAME=value lines, as os.Environ returns it, and from the values
// of flags under the same names; a flag wins, and of several lines with one name the last. It returns the checked configuration, or every
// problem at once; a name with our prefix that is not a setting is one. An empty value counts as missing.
//
// A secret may be read from a file instead: SEGEL_DATABASE_FILE names a file whose first line is the value. SEGEL_MASTER_KEY_FILE and
// SEGEL_FORMER_MASTER_KEY_FILE are other settings, whose files have the bytes of a key.
func Load(environ []string, flags map[string]string) (Config, error) {
	vars := map[string]string{}
	for _, line := range environ {
		// Container tools pass on unset variables as empty ones.
		if name, value, _ := strings.Cut(line, "="); strings.HasPrefix(name, envPrefix) && value != "" {
			vars[name] = value
		}
	}
	var bad []error
	for _, name := range unknownNames(environ) {
		bad = append(bad, unknownError(name))
	}
	if len(bad) > 0 {
		return Config{}, errors.Join(bad...)
	}
	maps.Copy(vars, flags)
	if err := readSecrets(vars); err != nil {
		return Config{}, err
	}
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars, Prefix: envPrefix}); err != nil {
		return Config{}, plainError(err)
	}
	if err := c.Validate(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// Default returns the configuration of a fresh install.
func Default() Config {
	c, err := Load(nil, nil)
	if err != nil {
		panic("the defaults do not pass their own checks: " + err.Error()) // a test makes this impossible
	}
	return c
}

// SecretFile is a file that has the value of a secret setting.
type SecretFile struct {
	Setting string // the variable that names the file
	Path    string
}

// SecretFiles returns the files of secrets that an environment names.
func SecretFiles(environ []string) (all []SecretFile) {
	for _, line := range environ {
		name, path, _ := strings.Cut(line, "=")
		for _, m := range listSettings() {
			if m.secret && path != "" && name == m.name+"_FILE" && !isSetting(name) {
				all = append(all, SecretFile{name, path})
			}
		}
	}
	return all
}

// isSetting reports whether there is a setting of that name.
func isSetting(name string) bool {
	return slices.ContainsFunc(listSettings(), func(m setting) bool { return m.name == name })
}

// setting is one member of Config.
type setting struct {
	field     string // in Config
	name      string // of its variable
	min       string // least value of a number or a duration
	max       string // largest value of a number; empty: none
	separator string // between key and value of a map
	secret    bool
	index     int
}

// listSettings lists the settings, in the order of Config.
func listSettings() []setting {
	t := reflect.TypeFor[Config]()
	all := make([]setting, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		all = append(all, setting{
			field: f.Name, name: envPrefix + f.Tag.Get("env"), min: f.Tag.Get("min"), max: f.Tag.Get("max"),
			separator: cmp.Or(f.Tag.Get("envKeyValSeparator"), ":"), secret: f.Tag.Get("secret") == "true", index: i,
		})
	}
	return all
}

// readSecrets replaces NAME_FILE by NAME for each secret.
func readSecrets(vars map[string]string) error {
	for _, m := range listSettings() {
		file := vars[m.name+"_FILE"]
		if !m.secret || file == "" || isSetting(m.name+"_FILE") {
			continue
		}
		if vars[m.name] != "" {
			return fmt.Errorf("%[1]s and %[1]s_FILE are both set; use one", m.name)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s_FILE: %w", m.name, err)
		}
		line, _, _ := strings.Cut(string(b), "\n")
		vars[m.name] = strings.TrimSuffix(line, "\r")
	}
	return nil
}

// plainError replaces names of members by those of variables, which the operator knows.
func plainError(err error) error {
	var all env.AggregateError
	if !errors.As(err, &all) {
		return err
	}
	var plain []error
	for _, e := range all.Errors {
		var p env.ParseError
		if errors.As(e, &p) {
			i := slices.IndexFunc(listSettings(), func(m setting) bool { return m.field == p.Name })
			if i >= 0 {
				e = fmt.Errorf("%s: %w", listSettings()[i].name, p.Err)
			}
		}
		plain = append(plain, e)
	}
	return errors.Join(plain...)
}
