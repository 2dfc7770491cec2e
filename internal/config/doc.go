// Package config holds the settings of the operator. Every member of [Config] has a default with which a fresh
// installation runs; a file of settings overrides it if one is named, an environment variable overrides that, and a command-line flag wins.
//
// The comments of Config's members are the manual: [Config.Print] prints them beside the values in effect. Its output
// is again a file of environment variables, with secrets masked.
package config
