package store

import "context"

// ServerSettings are the settings of a database server that decide how safe and how large an installation is.
type ServerSettings struct {
	Embedded bool   // SQLite: the members from MaxConnections on are zero
	Version  string // such as 17.2
	Major    int    // the first number of the version

	MaxConnections      int // of the server
	ReservedConnections int // of them, for administrators
	PoolConnections     int // that a process of this configuration takes at most

	Settings map[string]string // by name, as the server prints them: fsync, full_page_writes, synchronous_commit, data_checksums, server_encoding
}

// Servers reads the settings of the database server.
type Servers interface {
	// ServerSettings returns the settings in effect for connections of this store.
	ServerSettings(ctx context.Context) (ServerSettings, error)
}
