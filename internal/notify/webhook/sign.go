package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// secretPrefix begins a secret as people see it; standard Base64 of its bytes follows.
const secretPrefix = "whsec_"

// secretBytes is the length of a new secret.
const secretBytes = 32

// Headers of a message, as Standard Webhooks names them.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// formatSecret returns a secret as people see it.
func formatSecret(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// ParseSecret returns the bytes of a secret as people see it.
func ParseSecret(s string) ([]byte, error) {
	text, ok := strings.CutPrefix(s, secretPrefix)
	if !ok {
		return nil, fmt.Errorf("secret does not begin with %s", secretPrefix)
	}
	secret, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	return secret, nil
}

// Sign returns the value of the header webhook-signature for a message: one signature by each secret, separated by spaces. A signature is
// "v1," and Base64 of the HMAC-SHA256 of the identifier, the time in Unix seconds and the body, joined by dots.
func Sign(id string, at time.Time, body []byte, secrets ...[]byte) string {
	var all []string
	for _, secret := range secrets {
		h := hmac.New(sha256.New, secret)
		h.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		h.Write(body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(h.Sum(nil)))
	}
	return strings.Join(all, " ")
}
