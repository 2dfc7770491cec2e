// Package jobs does the work that commits have enqueued, such as stamping, sealing and sweeping, and periodic work. The
// queue is River's and lives in the store's database, so that a job is enqueued by the transaction that makes it
// necessary.
//
// Delivery is at least once. A handler starts from the stored state, does what is left to do and commits it; without
// work left it returns. Failed jobs are retried at growing intervals without end: the stamp office may be unavailable
// for days. If a process dies during a job, the job is put back: by the node that ends the dead one where nodes have
// leases, else by the next process of the same name when it starts. The first time it is due at once, and then it waits
// longer each time, because it may be the job that ends the process.
package jobs
