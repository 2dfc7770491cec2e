package main

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"segel/internal/contract"
	"segel/internal/notify"
	"segel/internal/notify/phone"
)

// phoneOptions returns the settings of the provider of a channel. Without an address none is configured.
func (a *app) phoneOptions(c contract.Channel) phone.Options {
	if c == contract.ChannelWhatsApp {
		return phone.Options{
			URL: a.conf.PhoneWhatsAppURL, Method: a.conf.PhoneWhatsAppMethod, Headers: a.conf.PhoneWhatsAppHeaders, Body: a.conf.PhoneWhatsAppBody,
			Accepted: a.conf.PhoneWhatsAppAccepted,
		}
	}
	return phone.Options{
		URL: a.conf.PhoneSMSURL, Method: a.conf.PhoneSMSMethod, Headers: a.conf.PhoneSMSHeaders, Body: a.conf.PhoneSMSBody, Accepted: a.conf.PhoneSMSAccepted,
	}
}

// phoneChannels returns the channels for which a provider is configured.
func (a *app) phoneChannels() []contract.Channel {
	return slices.DeleteFunc(slices.Clone(contract.PhoneChannels), func(c contract.Channel) bool { return a.phoneOptions(c).URL == "" })
}

// delivers reports whether messages by a channel are sent, and not kept for an operator.
func (a *app) delivers(c contract.Channel) bool {
	if c.IsPhone() {
		return slices.Contains(a.phoneChannels(), c)
	}
	return len(a.conf.MailServers) > 0
}

// wirePhone connects the providers of text messages, after wireMail.
func (a *app) wirePhone() error {
	a.notices.Texts = map[contract.Channel]notify.TextSender{}
	for _, c := range a.phoneChannels() {
		o := a.phoneOptions(c)
		o.Client, o.Timeout = a.phoneClient(o.URL), a.conf.PhoneTimeout
		sender, err := phone.New(o)
		if err != nil {
			return fmt.Errorf("provider of %s messages (SEGEL_PHONE_...): %w", c, err)
		}
		a.notices.Texts[c] = sender
	}
	a.notices.Lease = max(a.notices.Lease, a.conf.PhoneTimeout+time.Minute)
	return nil
}

// phoneClient returns the client for requests to a provider. It follows no redirects, which would take the message elsewhere.
func (a *app) phoneClient(address string) *http.Client {
	o := outboundOptions(a.conf, address)
	o.Timeout = a.conf.PhoneTimeout
	return newDirectClient(o)
}
