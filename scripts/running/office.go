package running

import "time"

// OfficeEnv returns the environment of a service that uses a sandbox office at an address, in the adapter form with a shared
// folder. Calls time out after three seconds; settle is how long after that the office may still act.
func OfficeEnv(address, shared string, settle time.Duration) []string {
	return []string{
		"SEGEL_STAMP_OFFICE=adapter", "SEGEL_STAMP_LOGIN_URL=" + address, "SEGEL_STAMP_ADAPTERS=" + address,
		"SEGEL_STAMP_NETWORKS=127.0.0.0/8", "SEGEL_STAMP_SHARED_DIR=" + shared,
		"SEGEL_STAMP_USER=user@office.test", "SEGEL_STAMP_PASSWORD=specimen", "SEGEL_STAMP_PICTURE_PATH=/snqr/qrimage?sn={serial}",
		"SEGEL_STAMP_TIMEOUT=3s", "SEGEL_STAMP_FILE_TIMEOUT=5s", "SEGEL_STAMP_SETTLE=" + settle.String(),
	}
}

// StartOffice runs a sandbox office on a free port with a data folder, and waits until it prints its address.
func StartOffice(binary, data, shared string) (*Service, error) {
	return startProgram(binary, data, []string{"office", "--data", data, "--shared", shared, "--listen", "127.0.0.1:0"}, "SEGEL_LOG_LEVEL=warn")
}
