// Package config is what an operator can set. Every member of [Config] has a default that a fresh install runs
// with; a variable of the environment changes it, and a flag of the command line changes that.
//
// The comments of Config's members are the manual: [Config.Print] shows them beside the values in effect, and
// what it prints is, but for secrets, a file of environment variables again.
package config
