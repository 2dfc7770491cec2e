package store

import "context"

// Announcements passes messages between the processes that share a database server. Nothing is stored: a process that does not listen misses them.
type Announcements interface {
	// Announce sends a message of at most 7,999 bytes to all processes that listen to the channel, this one included; errors.ErrUnsupported where the database runs in the
	// process.
	Announce(ctx context.Context, channel, message string) error

	// ListenForAnnouncements calls listening once, and then received for each message. It returns an error when ctx ends, when the connection is lost,
	// and at once, errors.ErrUnsupported, where the database runs in the process.
	ListenForAnnouncements(ctx context.Context, channel string, listening func(), received func(message string)) error
}
