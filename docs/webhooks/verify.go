// Command verify checks a message from Segel. Its arguments are the secret of the webhook and the headers webhook-id, webhook-timestamp
// and webhook-signature; the body of the request is read from standard input, byte for byte as it arrived.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// tolerance bounds how old, or how far in the future, a message may be.
const tolerance = 5 * time.Minute

// verify returns an error unless the message was signed with the secret at about that time.
func verify(secret, id, timestamp, signatures string, body []byte, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return fmt.Errorf("secret: %w", err)
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return fmt.Errorf("timestamp: %w", err)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return errors.New("the message is too old, or of the future")
	}
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s.%s.", id, timestamp)
	h.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(h.Sum(nil)))
	for _, s := range strings.Fields(signatures) { // two while a secret is being replaced
		if hmac.Equal([]byte(s), want) {
			return nil
		}
	}
	return errors.New("no signature is right")
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: verify SECRET ID TIMESTAMP SIGNATURES <BODY")
		os.Exit(2)
	}
	body, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = verify(os.Args[1], os.Args[2], os.Args[3], os.Args[4], body, time.Now())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ok")
}
