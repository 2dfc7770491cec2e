package libreoffice

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// settings are what the profile says, by path and name. All are of LibreOffice 7.4 unless noted; what a version does
// not know, it passes over.
var settings = []struct{ path, name, value string }{
	{"Office.Common/Security/Scripting", "MacroSecurityLevel", "3"}, // only macros of trusted places run, and no place is trusted
	{"Office.Common/Security/Scripting", "DisableMacrosExecution", "true"},
	{"Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"}, // nothing that a document refers to is fetched
	{"Office.Common/Security/Scripting", "DisableActiveContent", "true"},       // 7.5: no OLE, plug-ins and floating frames
	{"Office.Common/Security/Scripting", "DisableOLEAutomation", "true"},       // 24.2
	{"Office.Writer/Content/Update", "Link", "0"},                              // never
	{"Office.Writer/Content/Update", "Field", "false"},
	{"Office.Writer/Content/Update", "Chart", "false"},
	{"Office.Common/Misc", "FirstRun", "false"},
	{"Office.Common/Misc", "UseLocking", "false"},
	{"Office.Common/Save/Document", "CreateBackup", "false"},
	{"Office.Recovery/AutoSave", "Enabled", "false"},
	{"Inet/Settings", "ooInetProxyType", "2"}, // by hand
	{"Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"},
	{"Inet/Settings", "ooInetHTTPProxyPort", "9"}, // discard: nobody listens
	{"Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"},
	{"Inet/Settings", "ooInetHTTPSProxyPort", "9"},
	{"Inet/Settings", "ooInetFTPProxyName", "127.0.0.1"},
	{"Inet/Settings", "ooInetFTPProxyPort", "9"},
	{"Inet/Settings", "ooInetNoProxy", ""}, // not even this machine
}

// buildProfile returns the registrymodifications.xcu of every process.
func buildProfile() []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	b.WriteString(`<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n")
	for _, s := range settings {
		fmt.Fprintf(&b, `<item oor:path="/org.openoffice.%s"><prop oor:name="%s" oor:op="fuse"><value>%s</value></prop></item>`+"\n", s.path, s.name, s.value)
	}
	b.WriteString("</oor:items>\n")
	return []byte(b.String())
}

// buildID reads which build the program is. A profile that carries the same one is not taken for another version's,
// which would make the first start end at once and ask to be started again.
func buildID(program string) (string, error) {
	f, err := os.Open(filepath.Join(program, "versionrc"))
	if err != nil {
		return "", fmt.Errorf("read version of LibreOffice: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if id, found := strings.CutPrefix(lines.Text(), "buildid="); found {
			return strings.TrimSpace(id), nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("read version of LibreOffice: %w", err)
	}
	return "", fmt.Errorf("%s names no build", f.Name())
}
