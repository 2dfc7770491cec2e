package stamping

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"segel/internal/blob"
	"segel/internal/contract"
	"segel/internal/documents"
	"segel/internal/emeterai"
	"segel/internal/outage"
)

// retryAfter is the first delay of a stamp if the stamp office does not name one. Each further failure in a row doubles
// it, up to [documents.LongestRetry]. The first retry comes soon, because most failures are lost answers, and asking
// again is cheap. Every try is recorded in the audit log, which only grows: an outage of a day must not fill it.
const retryAfter = time.Second

// recordProblem records a failed call. A final problem fails the document and ends the job: the error is nil. After any
// other problem the document stays in processing and the job is retried with the same order and serial.
func (r *run) recordProblem(ctx context.Context, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err() // the process is stopping; the stamp office has no fault
	}
	if outage.Of(cause) != nil {
		return cause // an outage on our side; the attempt stays open as after a crash, and the next run asks again
	}
	class := emeterai.ClassOf(cause)
	f := contract.Failure{Class: contract.Outcome(class), Text: cause.Error(), Problem: describeFailure(cause), Final: class.IsFinal(), Quarantine: class == emeterai.Quarantine}
	var p *emeterai.Problem
	var after time.Duration
	if errors.As(cause, &p) {
		f.Code, f.Text, after = p.Code, p.Text, p.After
		if p.Code == emeterai.CodeNotCalled {
			return r.postpone(ctx, contract.Problem{Code: contract.ProblemOfficeDown}, contract.OutcomeNotCalled, r.s.officeLater(emeterai.Availability{Until: r.s.Clock().Add(after)}))
		}
		var err error
		if f.Evidence, err = r.s.storeEvidence(ctx, r.d.Organisation, p); err != nil {
			return errors.Join(err, cause)
		}
	}
	requireSame := requireSameAttempt(&r.d, r.i)
	err := r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		if err := requireSame(d); err != nil {
			return contract.Change{}, err
		}
		return contract.RecordStampFailure(d, r.i, f, r.s.Clock())
	})
	if err != nil {
		return errors.Join(r.s.RemoveUncommitted(ctx, err, contract.Revision{Tail: f.Evidence}), cause)
	}
	if f.Final {
		r.s.Log.WarnContext(ctx, "stamp refused finally", "document", r.d.ID, "stamp", r.i, "cause", cause)
		return nil
	}
	doublings := min(max(r.stamp().Failures-1, 0), 9)
	delay := min(retryAfter<<doublings, documents.LongestRetry)
	if f.Code == emeterai.CodeWait { // nothing failed: the process that asks next knows when the doubt ends, or begins to wait for that
		delay = retryAfter
	}
	return &contract.Later{After: max(after, delay), Err: cause}
}

// refuse fails a document whose stamps the stamp office would refuse after payment. Nothing is spent, and reserved quota
// stays reserved until a restamp or a cancel.
func (r *run) refuse(ctx context.Context, refused *contract.Error) error {
	code := contract.ProblemCode(refused.Code)
	if len(refused.Fields) > 0 {
		code = contract.ProblemNoPlace
	}
	r.s.Log.WarnContext(ctx, "stamp not ordered: the stamp office would refuse the file", "document", r.d.ID, "stamp", r.i, "cause", refused)
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		return contract.RefuseStamp(d, r.i, contract.Problem{Code: code}, r.s.Clock())
	})
}

// failForClock fails a document whose newest signature lies too far in the future. An attempt that an earlier run left
// open is closed as unanswered.
func (r *run) failForClock(ctx context.Context, problem contract.Problem, now time.Time) error {
	r.s.Log.ErrorContext(ctx, "document is not stamped: a signature was made while the clock was ahead", "document", r.d.ID, "stamp", r.i, "signed", r.d.LastSignedAt, "now", now)
	return r.commit(ctx, func(d *contract.Document) (contract.Change, error) {
		if d.Stamps[r.i].State == contract.StampOrdered {
			return contract.RefuseStamp(d, r.i, problem, now)
		}
		return contract.RecordStampFailure(d, r.i, contract.Failure{Class: contract.OutcomeUnanswered, Text: r.signedAhead().Error(), Problem: problem, Final: true}, now)
	})
}

// signedAhead names the time of the newest signature.
func (r *run) signedAhead() error {
	return fmt.Errorf("a signature is dated %s", r.d.LastSignedAt.UTC().Format(time.RFC3339))
}

// errOfficePaused is the reason why a stamp waits without a call to the stamp office.
var errOfficePaused = errors.New("calls to the stamp office are paused")

// officeLater returns the delay until the stamp office may be called again.
func (s *Stamping) officeLater(a emeterai.Availability) *contract.Later {
	err := errOfficePaused
	if a.Reason != "" {
		err = fmt.Errorf("%w: %s", err, a.Reason)
	}
	return &contract.Later{After: max(a.Until.Sub(s.Clock()), time.Second), Err: err}
}

// waitForFile postpones the stamp until the bytes of its document are restored, if the cause is that they are missing or
// changed. An attempt that this run opened was not made; the result of an earlier run's attempt is unknown.
func (r *run) waitForFile(ctx context.Context, cause error) error {
	code, ok := describeFile(cause)
	if !ok {
		return cause
	}
	if contract.ParseProblem(r.stamp().Problem).Code != code {
		r.s.Log.ErrorContext(ctx, "stored bytes of a document are missing or changed", "document", r.d.ID, "stamp", r.i, "cause", cause)
	}
	outcome := contract.OutcomeNotCalled
	if r.call == resumed {
		outcome = contract.OutcomeUnanswered
	}
	return r.postpone(ctx, contract.Problem{Code: code}, outcome, &contract.Later{After: documents.LongestRetry, Err: cause})
}

// postpone postpones the stamp for a problem that prevents calls to the stamp office, and returns later. The problem is
// recorded once. An open attempt ends with the given outcome.
func (r *run) postpone(ctx context.Context, problem contract.Problem, outcome contract.Outcome, later *contract.Later) error {
	requireSame := requireSameAttempt(&r.d, r.i)
	_, err := r.s.ApplyRuleTo(ctx, r.d, func(d *contract.Document) (*contract.Change, error) {
		if err := requireSame(d); err != nil {
			return nil, err
		}
		return documents.ChangeIf(contract.RecordStampWait(d, r.i, problem, outcome, r.s.Clock()))
	})
	if err != nil {
		return err
	}
	return later
}

// describeFile returns the problem of a stamp if the bytes of its document are missing or changed.
func describeFile(cause error) (code contract.ProblemCode, ok bool) {
	switch {
	case errors.Is(cause, documents.ErrFileMissing):
		return contract.ProblemStampFileMissing, true
	case errors.Is(cause, documents.ErrFileChanged):
		return contract.ProblemStampFileChanged, true
	}
	return "", false
}

// describeFailure returns why a stamp waits or was refused, with the stamp office's own text if it says more. Transport
// problems ("login: EOF") only help operators, who find them in the log and in the attempts.
func describeFailure(cause error) contract.Problem {
	if code, ok := describeFile(documents.BlobRefusal(cause)); ok {
		return contract.Problem{Code: code}
	}
	var p *emeterai.Problem
	if !errors.As(cause, &p) {
		return contract.Problem{Code: contract.ProblemOfficeUnreachable}
	}
	code := chooseProblemCode(p)
	switch code {
	case contract.ProblemOfficeConfig, contract.ProblemOfficeRefused, contract.ProblemOfficeBusy:
		return contract.Problem{Code: code, Detail: officeText(p)}
	}
	return contract.Problem{Code: code}
}

func chooseProblemCode(p *emeterai.Problem) contract.ProblemCode {
	switch p.Class {
	case emeterai.Quota:
		return contract.ProblemOfficeQuota
	case emeterai.Login:
		return contract.ProblemOfficeAccount
	case emeterai.Config:
		return contract.ProblemOfficeConfig
	case emeterai.Refused:
		return contract.ProblemOfficeRefused
	case emeterai.Quarantine:
		return contract.ProblemReturnRefused
	case emeterai.NeedsPerson, emeterai.Permanent:
		return choosePermanentCode(p)
	}
	switch p.Code {
	case emeterai.CodeDown, emeterai.CodeAnswer, "":
		return contract.ProblemOfficeUnreachable
	case emeterai.CodeReturn:
		return contract.ProblemReturnIncomplete
	}
	return contract.ProblemOfficeBusy
}

// choosePermanentCode returns what a person has to repair before a retry can succeed.
func choosePermanentCode(p *emeterai.Problem) contract.ProblemCode {
	switch p.Code {
	case emeterai.CodeElsewhere:
		return contract.ProblemSerialElsewhere
	case emeterai.CodeSerialUncertain:
		return contract.ProblemSerialUncertain
	case emeterai.CodePicture:
		return contract.ProblemPictureLost
	case emeterai.CodePlace:
		return contract.ProblemNoPlace
	}
	return contract.ProblemOfficeRefused
}

// officeText returns the stamp office's text if the code is the office's own, which is a number. Under our codes the text
// is ours and written for the log.
func officeText(p *emeterai.Problem) string {
	if p.Code == "" || p.Code[0] < '0' || p.Code[0] > '9' {
		return ""
	}
	return p.Text
}

// storeEvidence stores the file that the stamp office returned and Segel did not accept. Only an operator removes it. A
// problem without evidence gives an empty file.
//
// Durable on return: the bytes. Not yet: a reference to them, which the commit that quarantines the serial adds. If the
// process dies before it, fsck finds the bytes, and the stamp office is asked again at no cost.
func (s *Stamping) storeEvidence(ctx context.Context, of contract.OrganisationID, p *emeterai.Problem) (contract.File, error) {
	if p.Class != emeterai.Quarantine || p.Evidence == nil {
		return contract.File{}, nil
	}
	in, err := p.Evidence.Open()
	if err != nil {
		return contract.File{}, fmt.Errorf("open evidence: %w", err)
	}
	f, _, err := s.StoreFile(ctx, of, blob.NewDigester(), func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err = errors.Join(err, in.Close()); err != nil {
		return contract.File{}, fmt.Errorf("store evidence: %w", err)
	}
	return f, nil
}
