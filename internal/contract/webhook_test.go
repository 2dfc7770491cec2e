package contract

import "testing"

func TestOnlyPrivateHostsMayHaveAWebhookWithoutTLS(t *testing.T) {
	t.Parallel()
	for address, private := range map[string]bool{
		"http://127.0.0.1:8080/hook": true, "http://[::1]/": true, "http://10.1.2.3/": true, "http://192.168.0.7/": true, "http://[fd00::1]/": true,
		"http://[::ffff:10.0.0.1]/": true, "http://localhost:3000/": true, "http://erp/": true, "http://ERP.Internal./": true, "http://a.home.arpa/": true,
		"http://example.com/": false, "http://8.8.8.8/": false, "http://[2606:4700::1]/": false, "http://internal.example.com/": false, "http://localhost.example/": false,
		"http://10.1.2.3.example.com/": false, "http://xinternal.com/": false,
	} {
		for _, plain := range []bool{false, true} {
			_, err := CheckWebhook(WebhookSettings{URL: address}, plain)
			if accepted := err == nil; accepted != (plain && private) {
				t.Errorf("%s, plain %t: %v", address, plain, err)
			}
		}
		if _, err := CheckWebhook(WebhookSettings{URL: "https" + address[len("http"):]}, false); err != nil {
			t.Errorf("%s with TLS: %v", address, err)
		}
	}
}
