package documents

import "context"

// Alarm names a kind of corruption that was found before it did harm. Values are labels of a metric.
type Alarm string

// The alarms.
const (
	AlarmMidstate Alarm = "midstate" // a revision's midstate did not match its digest and was rebuilt from the bytes
	AlarmBytes    Alarm = "bytes"    // the stored bytes do not have the recorded digest
	AlarmInvalid  Alarm = "invalid"  // a sealed file did not pass validation and was not committed
)

// Alarms lists every alarm.
var Alarms = []Alarm{AlarmMidstate, AlarmBytes, AlarmInvalid}

// RaiseAlarm logs and counts an alarm.
func (s *Documents) RaiseAlarm(ctx context.Context, a Alarm, msg string, args ...any) {
	s.Log.ErrorContext(ctx, msg, append([]any{"alarm", string(a)}, args...)...)
	if s.Alarm != nil {
		s.Alarm(a)
	}
}
