package text

import "testing"

func TestDevicesAreNamedInWords(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string][2]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36":                            {"Chrome di Windows", "Chrome on Windows"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0":              {"Microsoft Edge di Windows", "Microsoft Edge on Windows"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1":    {"Safari di iPhone", "Safari on iPhone"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15":                      {"Safari di macOS", "Safari on macOS"},
		"Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36": {"Samsung Internet di Android", "Samsung Internet on Android"},
		"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0":                                                                     {"Firefox di Linux", "Firefox on Linux"},
		"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1":      {"Chrome di iPad", "Chrome on iPad"},
		"Mozilla/5.0 (Windows NT 10.0)": {"Windows", "Windows"},
		"Mozilla/5.0":                   {"Perangkat tidak dikenal", "Unknown device"},
		"":                              {"Perangkat tidak dikenal", "Unknown device"},
		"curl/8.5.0":                    {"Program curl", "Program curl"},
		"Go-http-client/2.0":            {"Program Go-http-client", "Program Go-http-client"},
	} {
		for i, l := range []Language{Indonesian, English} {
			if got := Device(l, agent); got != want[i] {
				t.Errorf("%s in %s: %q, want %q", agent, l, got, want[i])
			}
		}
	}
}
