package main

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"segel/scripts/running"
)

func TestAnswersThatAreNeitherASuccessNorRetryableAreFaults(t *testing.T) {
	t.Parallel()
	again := `{"error":{"retryable":true}}`
	for name, c := range map[string]struct {
		err   error
		took  time.Duration
		fault string // start of its line; empty: none
	}{
		"a success":                   {nil, time.Second, ""},
		"503 with Retry-After":        {&running.Refusal{Status: http.StatusServiceUnavailable, Text: []byte(again), RetryAfter: "5"}, time.Second, ""},
		"503 without Retry-After":     {&running.Refusal{Status: http.StatusServiceUnavailable, Text: []byte(again), RetryAfter: ""}, time.Second, "**answers"},
		"503 that is not retryable":   {&running.Refusal{Status: http.StatusServiceUnavailable, Text: []byte(`{"error":{}}`), RetryAfter: "5"}, time.Second, "**answers"},
		"500":                         {&running.Refusal{Status: http.StatusInternalServerError, Text: []byte(again), RetryAfter: "5"}, time.Second, "**answers"},
		"a connection that was cut":   {errors.New("EOF"), time.Second, "**answers"},
		"a success that is late":      {nil, briefAnswer + 1, "answers during an outage that took"},
		"an invitation that was late": {&running.Refusal{Status: http.StatusServiceUnavailable, Text: []byte(again), RetryAfter: "5"}, time.Minute, "answers during an outage that took"},
	} {
		p := newProber(nil, "", "")
		p.countAnswer("an outage", "GET", running.DocumentPath+"detail/7", c.took, c.err)
		p.countAnswer("", "GET", running.DocumentPath+"detail/7", time.Hour, errors.New("outside of outages nothing counts"))
		var found resultTable
		p.addFigures(&found)
		wrong := ""
		for _, l := range found {
			if l.fault != "" {
				wrong = l.what
			}
		}
		if !strings.HasPrefix(wrong, c.fault) || (wrong == "") != (c.fault == "") {
			t.Errorf("%s: %q, want %q", name, wrong, c.fault)
		}
	}
}

func TestOperationOfARequestIsNamed(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		running.DocumentPath + "detail/12": "detail", running.DocumentPath + "out": "list", running.SignPath + "upload-docs-base64": "upload",
		running.SignPath + "finalize-docs": "finalize", running.SignPath + "sign-docs": "sign", "/readyz": "readyz", "/v1/auth/login": "login",
	} {
		method := "GET"
		if strings.HasPrefix(path, running.SignPath) || strings.HasSuffix(path, "login") {
			method = "POST"
		}
		if got, _ := operationOf(method, path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

func TestSecondOutageOfAKindOutlastsEveryBriefOperation(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 1))
	if lasts, killed := drawOutage(random, 1); lasts <= 5*time.Second || killed {
		t.Errorf("it lasts %v, killed %t", lasts, killed)
	}
	if lasts, _ := drawOutage(random, 0); lasts > outageMin+outageMore {
		t.Errorf("the first lasts %v", lasts)
	}
}
