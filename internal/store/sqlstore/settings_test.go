package sqlstore

import "testing"

func TestServerSettingsAreThoseInEffect(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		s := openTest(t, dsn)
		got, err := s.ServerSettings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.db.embedded() {
			if !got.Embedded || got.Major != 3 || got.MaxConnections != 0 {
				t.Errorf("%+v", got)
			}
			return
		}
		if got.Embedded || got.Major < 9 || got.MaxConnections < 1 || got.PoolConnections <= s.db.poolSize() || got.Settings["fsync"] == "" || got.Settings["synchronous_commit"] == "" ||
			got.Settings["server_encoding"] == "" || got.Settings["data_checksums"] == "" || got.Settings["full_page_writes"] == "" {
			t.Errorf("%+v", got)
		}
	})
}
