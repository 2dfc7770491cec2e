package webhook

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"segel/internal/contract"
	"segel/internal/store"
)

// reachedAt is a connection that seems to lead to another address.
type reachedAt struct {
	net.Conn
	address net.Addr
}

func (c reachedAt) RemoteAddr() net.Addr { return c.address }

func TestTheBodyOfAnAnswerIsKeptOnlyFromThePublicInternet(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("rahasia\xff", 1000))
	}))
	t.Cleanup(server.Close)
	for address, kept := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "10.1.2.3": false, "127.0.0.1": false, "169.254.169.254": false, "::ffff:10.1.2.3": false, "fd00::1": false,
	} {
		transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
			return reachedAt{c, &net.TCPAddr{IP: net.ParseIP(address), Port: 80}}, err
		}}
		t.Cleanup(transport.CloseIdleConnections)
		s := &Service{Client: &http.Client{Transport: transport}, Log: slog.New(slog.DiscardHandler)}
		for range 2 { // the second time over the same connection
			status, response, problem := s.send(t.Context(), contract.WebhookDelivery{URL: "http://hook.contoh.test/", Body: "{}", SentAt: time.Now()}, [][]byte{[]byte("rahasia")})
			if status != http.StatusOK || problem != "" || kept != strings.HasPrefix(response, "rahasia") || !kept && response != "" || len(response) > 3*maxResponse {
				t.Errorf("%s: %d %q, %d bytes", address, status, problem, len(response))
			}
		}
	}
}

// oneEvent is a feed with one event.
type oneEvent struct {
	Store
	number contract.FeedNumber
}

func (f oneEvent) ReadFeed(context.Context, store.FeedQuery) (store.FeedPage, error) {
	return store.FeedPage{Events: []contract.FeedEvent{{Number: f.number}}}, nil
}

func TestAnEventThatPanicsIsAnErrorOfItsMessageAlone(t *testing.T) {
	t.Parallel()
	s := &Service{Store: oneEvent{number: 7}, Encode: func(context.Context, contract.FeedEvent) ([]byte, error) { panic("no document") }, Log: slog.New(slog.DiscardHandler)}
	if _, err := s.loadMessageBody(t.Context(), contract.Webhook{}, contract.WebhookDelivery{Number: 7, Type: contract.FeedSigned}); err == nil {
		t.Error("the message was written")
	}
}
