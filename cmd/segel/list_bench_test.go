package main

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPageOfAList reads page 1 of 60 sent documents, and the status of one of them, in turns over HTTP. It reports the processor time of the
// process for a page relative to that for a status, and the allocations of each, with those of the client.
func BenchmarkPageOfAList(b *testing.B) {
	s := start(b, "SEGEL_LOG_LEVEL", "error")
	owner := s.person(b, "Sari Wulandari", "PT Sari")
	var id int64
	for range 60 {
		id = owner.upload(simple())
	}
	const each = 50 // requests between two readings of the processor time
	measure := func(read func()) (time.Duration, uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := processorTime(b)
		for range each {
			read()
		}
		took := processorTime(b) - began
		runtime.ReadMemStats(&after)
		return took, after.Mallocs - before.Mallocs
	}
	readPage := func() { owner.do("GET", documentPath+"out?page=1&limit=20", nil).ok() }
	readStatus := func() { owner.get("status", id).ok() }
	var page, status time.Duration
	var pageAllocs, statusAllocs uint64
	rounds := 0
	for b.Loop() {
		took, allocs := measure(readPage)
		page, pageAllocs = page+took, pageAllocs+allocs
		took, allocs = measure(readStatus)
		status, statusAllocs = status+took, statusAllocs+allocs
		rounds++
	}
	n := float64(rounds * each)
	b.ReportMetric(float64(page)/float64(status), "x-status")
	b.ReportMetric(float64(pageAllocs)/n, "allocs/page")
	b.ReportMetric(float64(statusAllocs)/n, "allocs/status")
	b.ReportMetric(page.Seconds()*1000/n, "ms/page")
}

// processorTime returns how long the processors have worked for this process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
