package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"segel/scripts/running"
)

// service is a running service with its logged-in people: the owner first, then signers.
type service struct {
	*running.Service
	people []person
}

type person struct{ id, token string }

// addPerson adds a person to the running service and logs them in.
func (s *service) addPerson(i int) error { return s.addTo("", i, "kata sandi bangku uji") }

// addTo is addPerson for an organisation by name; empty: the first one.
func (s *service) addTo(organisation string, i int, password string) error {
	email := fmt.Sprintf("orang%d@example.test", i)
	if err := s.AddUserTo(organisation, email, fmt.Sprint("Orang ", i), password); err != nil {
		return err
	}
	var a struct {
		Data struct {
			Token   string
			Account struct{ ID string }
		}
	}
	body := strings.NewReader(fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	if err := s.callJSON("POST", "/v1/auth/login", len(s.people), body, &a); err != nil {
		return err
	}
	s.people = append(s.people, person{a.Data.Account.ID, a.Data.Token})
	return nil
}

func (s *service) procPath(name string) string {
	return fmt.Sprintf("/proc/%d/%s", s.PID(), name)
}

// resetPeak resets the peak of resident memory, and returns the present value in bytes.
func (s *service) resetPeak() (int64, error) {
	if err := os.WriteFile(s.procPath("clear_refs"), []byte("5"), 0); err != nil {
		return 0, err
	}
	return s.peakMemory()
}

// peakMemory returns the peak of resident memory in bytes.
func (s *service) peakMemory() (int64, error) {
	b, err := os.ReadFile(s.procPath("status"))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(b), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kib, err := strconv.ParseInt(f[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("no VmHWM")
}

// cpuTime returns the processor time that the service has used.
func (s *service) cpuTime() (time.Duration, error) {
	b, err := os.ReadFile(s.procPath("stat"))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	var ticks int64
	for _, v := range f[11:13] { // user and system time, in hundredths of a second
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// ownCPU returns the processor time that this program has used.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
