package api

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func basicHeader(client, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(client+":"+secret))
}

func TestTokenRequestsAreReadAsRFC6749Demands(t *testing.T) {
	t.Parallel()
	const grant = "grant_type=client_credentials"
	for _, c := range []struct{ what, body, header, refusal string }{
		{"credentials in the body", grant + "&client_id=a&client_secret=b&scope=sign+stamp", "", ""},
		{"credentials in the header", grant, basicHeader("a", "b"), ""},
		{"the client is named twice, alike", grant + "&client_id=a", basicHeader("a", "b"), ""},
		{"encoded credentials", grant, basicHeader("%61", "b"), ""},
		{"unknown and empty parameters", grant + "&resource=x&scope=&client_id=a&client_secret=b", "", ""},
		{"a bearer token is no credential", grant + "&client_id=a&client_secret=b", "Bearer x", ""},
		{"nothing", "", "", oauthRequest},
		{"no grant", "client_id=a&client_secret=b", "", oauthRequest},
		{"another grant", "grant_type=password&client_id=a&client_secret=b", "", oauthUnsupported},
		{"not a form", "{\"grant_type\":%zz}", "", oauthRequest},
		{"a parameter twice", grant + "&" + grant + "&client_id=a&client_secret=b", "", oauthRequest},
		{"no client", grant, "", oauthClient},
		{"no secret", grant + "&client_id=a", "", oauthClient},
		{"both ways", grant + "&client_id=a&client_secret=b", basicHeader("a", "b"), oauthRequest},
		{"two clients", grant + "&client_id=x", basicHeader("a", "b"), oauthRequest},
		{"a header without a colon", grant, "Basic YWI=", oauthClient},
		{"a header that is not base64", grant, "Basic ?", oauthClient},
		{"an empty secret", grant, basicHeader("a", ""), oauthClient},
	} {
		in, err := parseTokenRequest(c.body, c.header)
		var refused *oauthError
		switch {
		case c.refusal == "" && (err != nil || in.client != "a" || in.secret != "b" || in.basic != strings.HasPrefix(c.header, "Basic")):
			t.Errorf("%s: %+v, %v", c.what, in, err)
		case c.refusal != "" && (!errors.As(err, &refused) || refused.Code != c.refusal):
			t.Errorf("%s: %v, want %s", c.what, err, c.refusal)
		}
	}
}

func FuzzTokenRequest(f *testing.F) {
	f.Add("grant_type=client_credentials&client_id=a&client_secret=b&scope=sign", "")
	f.Add("grant_type=client_credentials", basicHeader("a", "b"))
	f.Add("grant_type=client_credentials&grant_type=client_credentials", "basic YTpi")
	f.Fuzz(func(t *testing.T, body, header string) {
		in, err := parseTokenRequest(body, header)
		var refused *oauthError
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
		if err == nil && (in.client == "" || in.secret == "") {
			t.Errorf("%q with %q is a request without credentials", body, header)
		}
	})
}
