package sqlstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"segel/internal/store"
)

var _ store.Servers = (*Store)(nil)

// listenConns are the connections outside of the pool on which a process listens for changes and for counts of requests.
const listenConns = 2

// ServerSettings implements [store.Servers].
func (s *Store) ServerSettings(ctx context.Context) (store.ServerSettings, error) {
	found := store.ServerSettings{Embedded: s.db.embedded(), Settings: map[string]string{}}
	err := s.db.withSnapshot(ctx, func(q querier) error {
		if found.Embedded {
			return queryOne(ctx, q, []any{&found.Version}, `SELECT sqlite_version()`)
		}
		return queryEach(ctx, q, func(scan scanFunc) error {
			var name, value string
			err := scan(&name, &value)
			found.Settings[name] = value
			return err
		}, `SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'max_connections', 'superuser_reserved_connections', 'reserved_connections',
			'fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'server_encoding')`)
	})
	if err != nil {
		return found, fmt.Errorf("read the settings of the database server: %w", err)
	}
	if !found.Embedded {
		found.Version = found.Settings["server_version"]
		found.MaxConnections = numberOf(found.Settings["max_connections"])
		found.ReservedConnections = numberOf(found.Settings["superuser_reserved_connections"]) + numberOf(found.Settings["reserved_connections"]) // the latter since 16
		found.PoolConnections = s.db.poolSize() + reservedConns + listenConns
	}
	major, _, _ := strings.Cut(found.Version, ".")
	found.Major = numberOf(major)
	return found, nil
}

// numberOf reads the digits that a text begins with, as in "17beta1"; 0: none.
func numberOf(text string) int {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		text = text[:end]
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
