// Package durable writes files so that they survive a crash of the machine, and locks files and folders between processes.
package durable
