package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

type object = map[string]any

// client makes the requests of one person.
type client struct{ url, token string }

func (c *client) doRequest(method, path string, body any) (*http.Response, error) {
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequest(method, c.url+path, &b)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("x-access-token", c.token)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if a.StatusCode != http.StatusOK {
		defer a.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(a.Body, 4096))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, a.Status, text)
	}
	return a, nil
}

func (c *client) callJSON(method, path string, body, answer any) error {
	a, err := c.doRequest(method, path, body)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if answer == nil {
		return nil
	}
	return json.NewDecoder(a.Body).Decode(answer)
}

func (c *client) getJSON(path string, answer any) error { return c.callJSON("GET", path, nil, answer) }

func (c *client) postJSON(path string, body, answer any) error {
	return c.callJSON("POST", path, body, answer)
}

func (c *client) getFile(path string) ([]byte, error) {
	a, err := c.doRequest("GET", path, nil)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	return io.ReadAll(a.Body)
}

// waitCompleted polls the status until the document is completed, as clients do.
func (c *client) waitCompleted(id int64) ([]string, error) {
	for range 300 {
		var s struct {
			Data struct {
				Status string
				Serial []string `json:"serial_number"`
			}
		}
		if err := c.getJSON(fmt.Sprintf("/v1/econtract/web_app/document/status/%d", id), &s); err != nil {
			return nil, err
		}
		if s.Data.Status == "completed" {
			return s.Data.Serial, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.New("the document was not completed in 30 seconds")
}
