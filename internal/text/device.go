package text

import "strings"

// A browser or a system is recognised by a part of the User-Agent header; the first one that matches counts. Browsers name others that they
// are compatible with, so the order matters.
type agentPart struct{ part, name string }

var browsers = []agentPart{
	{"Edg/", "Microsoft Edge"}, {"EdgA/", "Microsoft Edge"}, {"EdgiOS/", "Microsoft Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
	{"UCBrowser/", "UC Browser"}, {"YaBrowser/", "Yandex"}, {"Vivaldi/", "Vivaldi"}, {"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"},
	{"HeadlessChrome/", "Chrome"}, {"Chrome/", "Chrome"}, {"Version/", "Safari"},
}

var systems = []agentPart{
	{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
}

// Device names the program and the system of a User-Agent header in words. What it says is not verified.
func Device(l Language, userAgent string) string {
	if !strings.HasPrefix(userAgent, "Mozilla/") {
		// A program names itself first: curl/8.5.0.
		name, _, _ := strings.Cut(userAgent, " ")
		name, _, _ = strings.Cut(name, "/")
		if name == "" {
			return Sentence(l, "device.unknown", nil)
		}
		return Sentence(l, "device.program", map[string]any{"name": name})
	}
	browser, system := findPart(browsers, userAgent), findPart(systems, userAgent)
	switch {
	case browser == "" && system == "":
		return Sentence(l, "device.unknown", nil)
	case browser == "":
		return system
	case system == "":
		return browser
	}
	return Sentence(l, "device.browser", map[string]any{"browser": browser, "system": system})
}

func findPart(all []agentPart, userAgent string) string {
	for _, p := range all {
		if strings.Contains(userAgent, p.part) {
			return p.name
		}
	}
	return ""
}
