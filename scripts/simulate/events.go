package main

import "container/heap"

// timeline runs events in the order of their times, and those of one time in the order in which they were added. Times are in seconds.
type timeline struct {
	now   float64
	added int
	queue eventQueue
}

type event struct {
	at  float64
	seq int
	run func()
}

// at adds an event.
func (t *timeline) at(when float64, run func()) {
	t.added++
	heap.Push(&t.queue, event{max(when, t.now), t.added, run})
}

// after adds an event that happens after a delay.
func (t *timeline) after(delay float64, run func()) { t.at(t.now+delay, run) }

// runAll runs the events until there are none.
func (t *timeline) runAll() {
	for len(t.queue) > 0 {
		e := heap.Pop(&t.queue).(event)
		t.now = e.at
		e.run()
	}
}

type eventQueue []event

func (q eventQueue) Len() int      { return len(q) }
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q eventQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q *eventQueue) Push(x any) { *q = append(*q, x.(event)) }
func (q *eventQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*q = old[:len(old)-1]
	return last
}
