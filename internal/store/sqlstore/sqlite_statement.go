package sqlstore

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteHandle is a connection as the functions of SQLite take it. The driver's own statements copy the names and types of all columns
// for each query, and box every number.
type sqliteHandle struct {
	tls *libc.TLS // of the connection; for one goroutine at a time
	db  uintptr

	texts []cBuffer // for text and bytes of arguments; not in use
}

// handleOf returns the handle of a connection of the driver, which has no method for it.
func handleOf(conn driver.Conn) (h sqliteHandle, err error) {
	c := reflect.Indirect(reflect.ValueOf(conn))
	if c.Kind() != reflect.Struct {
		return h, fmt.Errorf("a connection is %T", conn)
	}
	db, tls := c.FieldByName("db"), c.FieldByName("tls")
	if db.Kind() != reflect.Uintptr || !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() {
		return h, fmt.Errorf("a connection of type %T has other fields", conn)
	}
	return sqliteHandle{tls: (*libc.TLS)(tls.UnsafePointer()), db: uintptr(db.Uint())}, nil
}

// keepPlans has SQLite plan a statement once, not for the values of its arguments: otherwise it compiles some of the job queue's again
// whenever an argument changes, which takes longer than to run them.
func (h *sqliteHandle) keepPlans() error {
	b, err := h.takeBuffer(16)
	if err != nil {
		return err
	}
	defer h.putBuffer(b)
	if code := sqlite3.Xsqlite3_db_config(h.tls, h.db, sqlite3.SQLITE_DBCONFIG_ENABLE_QPSG, libc.VaList(b.at, int32(1), uintptr(0))); code != sqlite3.SQLITE_OK {
		return h.errorOf(code)
	}
	return nil
}

// sqliteError is an error of SQLite.
type sqliteError struct {
	code    int // extended
	message string
}

func (e *sqliteError) Error() string { return e.message + " (" + strconv.Itoa(e.code) + ")" }

// errorOf returns the error of the last call, with the message that the connection has until the next call.
func (h *sqliteHandle) errorOf(code int32) error {
	return &sqliteError{int(code), libc.GoString(sqlite3.Xsqlite3_errmsg(h.tls, h.db))}
}

// cBuffer is memory of SQLite's allocator.
type cBuffer struct {
	at         uintptr
	size, used int
}

// takeBuffer returns a buffer of at least that size. Each statement that has not ended has another one.
func (h *sqliteHandle) takeBuffer(size int) (b cBuffer, err error) {
	if n := len(h.texts); n > 0 {
		b = h.texts[n-1]
		h.texts = h.texts[:n-1]
	}
	if b.used = 0; b.size >= size {
		return b, nil
	}
	sqlite3.Xsqlite3_free(h.tls, b.at) // which may be 0
	size = max(2*size, 4096)
	if b = (cBuffer{at: sqlite3.Xsqlite3_malloc64(h.tls, uint64(size)), size: size}); b.at == 0 {
		return cBuffer{}, &sqliteError{sqlite3.SQLITE_NOMEM, "out of memory"}
	}
	return b, nil
}

// maxKeptBuffer bounds a buffer that stays with the connection.
const maxKeptBuffer = 1 << 20

func (h *sqliteHandle) putBuffer(b cBuffer) {
	switch {
	case b.size > maxKeptBuffer:
		sqlite3.Xsqlite3_free(h.tls, b.at)
	case b.size > 0:
		h.texts = append(h.texts, b)
	}
}

// close frees what the handle has, before the driver closes the connection.
func (h *sqliteHandle) close() {
	for _, b := range h.texts {
		sqlite3.Xsqlite3_free(h.tls, b.at)
	}
	h.texts = nil
}

// compiledStatement is a statement that SQLite has compiled.
type compiledStatement struct {
	*sqliteHandle
	at            uintptr
	args, columns int
	scan          scanFunc // the row that the statement is at
}

// compile compiles a statement in SQLite's spelling.
func (h *sqliteHandle) compile(text string) (*compiledStatement, error) {
	const results = 16 // a pointer to the statement, and one to what follows it in the text
	b, err := h.takeBuffer(results + len(text))
	if err != nil {
		return nil, err
	}
	defer h.putBuffer(b)
	out, source := libc.GoBytes(b.at, results), b.at+results
	clear(out) // a pointer may be shorter than 8 bytes
	copy(libc.GoBytes(source, len(text)), text)
	if code := sqlite3.Xsqlite3_prepare_v3(h.tls, h.db, source, int32(len(text)), sqlite3.SQLITE_PREPARE_PERSISTENT, b.at, b.at+8); code != sqlite3.SQLITE_OK {
		return nil, h.errorOf(code)
	}
	s := &compiledStatement{sqliteHandle: h, at: uintptr(binary.LittleEndian.Uint64(out))}
	if rest := uintptr(binary.LittleEndian.Uint64(out[8:])) - source; s.at == 0 || rest < uintptr(len(text)) {
		s.finalize()
		return nil, errors.New("the text is not one statement")
	}
	s.args, s.columns = int(sqlite3.Xsqlite3_bind_parameter_count(h.tls, s.at)), int(sqlite3.Xsqlite3_column_count(h.tls, s.at))
	s.scan = s.scanRow
	return s, nil
}

// finalize frees the statement. What it returns is the error of the last run again.
func (s *compiledStatement) finalize() { sqlite3.Xsqlite3_finalize(s.tls, s.at) }

// run runs the statement to its end or until each returns an error. It calls each for every row, and returns the number of rows that were
// returned or, without each, changed.
func (s *compiledStatement) run(args []any, each func(scanFunc) error) (n int64, err error) {
	if len(args) < s.args {
		return 0, fmt.Errorf("%d arguments of %d", len(args), s.args)
	}
	args = args[:s.args]
	size := 0
	for i, a := range args {
		v, err := sqliteValue(a)
		if err != nil {
			return 0, fmt.Errorf("argument %d: %w", i+1, err)
		}
		args[i] = v
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		}
	}
	if size > math.MaxInt32 { // the longest that a length can say; SQLite takes less
		return 0, &sqliteError{sqlite3.SQLITE_TOOBIG, "arguments are too long"}
	}
	var texts cBuffer
	if size > 0 {
		if texts, err = s.takeBuffer(size); err != nil {
			return 0, err
		}
	}
	// The statement refers to the buffer until its arguments are cleared.
	defer func() {
		sqlite3.Xsqlite3_reset(s.tls, s.at)
		sqlite3.Xsqlite3_clear_bindings(s.tls, s.at)
		s.putBuffer(texts)
	}()
	for i, v := range args {
		if code := s.bindArg(int32(i+1), v, &texts); code != sqlite3.SQLITE_OK {
			return 0, fmt.Errorf("argument %d: %w", i+1, s.errorOf(code))
		}
	}
	for {
		switch code := sqlite3.Xsqlite3_step(s.tls, s.at); code {
		case sqlite3.SQLITE_ROW:
			if each == nil {
				continue
			}
			n++
			if err := each(s.scan); err != nil {
				return n, err
			}
		case sqlite3.SQLITE_DONE:
			if each == nil {
				n = int64(sqlite3.Xsqlite3_changes(s.tls, s.db))
			}
			return n, nil
		default:
			return n, s.errorOf(code)
		}
	}
}

// bindArg binds an argument, which [sqliteValue] returned. Text and bytes go into the buffer, which has the space.
func (s *compiledStatement) bindArg(i int32, v any, texts *cBuffer) (code int32) {
	switch v := v.(type) {
	case int64:
		return sqlite3.Xsqlite3_bind_int64(s.tls, s.at, i, v)
	case float64:
		return sqlite3.Xsqlite3_bind_double(s.tls, s.at, i, v)
	case bool:
		var n int64
		if v {
			n = 1
		}
		return sqlite3.Xsqlite3_bind_int64(s.tls, s.at, i, n)
	case string:
		if v == "" { // which has no place in the buffer, and without one would be NULL
			return sqlite3.Xsqlite3_bind_text(s.tls, s.at, i, emptyText, 0, sqlite3.SQLITE_STATIC)
		}
		at := texts.at + uintptr(texts.used)
		texts.used += copy(libc.GoBytes(at, len(v)), v)
		return sqlite3.Xsqlite3_bind_text(s.tls, s.at, i, at, int32(len(v)), sqlite3.SQLITE_STATIC)
	case []byte:
		switch {
		case v == nil:
			return sqlite3.Xsqlite3_bind_null(s.tls, s.at, i)
		case len(v) == 0:
			return sqlite3.Xsqlite3_bind_zeroblob(s.tls, s.at, i, 0)
		}
		at := texts.at + uintptr(texts.used)
		texts.used += copy(libc.GoBytes(at, len(v)), v)
		return sqlite3.Xsqlite3_bind_blob(s.tls, s.at, i, at, int32(len(v)), sqlite3.SQLITE_STATIC)
	}
	return sqlite3.Xsqlite3_bind_null(s.tls, s.at, i)
}

// emptyText is a text without bytes, which is never freed.
var emptyText = func() uintptr {
	at, err := libc.CString("")
	if err != nil {
		panic(err) // no memory at the start
	}
	return at
}()

// sqliteValue returns an argument as the column that it becomes: a number, truth value, text, bytes or nil. Text is cleaned.
func sqliteValue(arg any) (any, error) {
	switch a := arg.(type) {
	case nil, int64, bool, float64, []byte:
		return a, nil
	case string:
		if clean := cleanText(a); clean != a {
			return clean, nil
		}
		return arg, nil
	case int:
		return int64(a), nil
	}
	switch v := reflect.ValueOf(arg); {
	case v.Kind() == reflect.String:
		return cleanText(v.String()), nil
	case v.Kind() == reflect.Bool:
		return v.Bool(), nil
	case v.CanInt():
		return v.Int(), nil
	}
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return nil, err
	}
	switch v.(type) {
	case nil, int64, bool, float64, []byte, string:
		return v, nil
	}
	return nil, fmt.Errorf("a value of type %T is no column", v)
}

// scanRow scans the first columns of the row that the statement is at, as [sql.Rows] does. Columns whose destination is nil are left out.
func (s *compiledStatement) scanRow(dest ...any) error {
	if len(dest) > s.columns {
		return fmt.Errorf("%d destinations for %d columns", len(dest), s.columns)
	}
	for i, to := range dest {
		if to == nil {
			continue
		}
		if err := s.scanColumn(int32(i), to); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func (s *compiledStatement) scanColumn(i int32, to any) error {
	kind := sqlite3.Xsqlite3_column_type(s.tls, s.at, i)
	switch kind {
	case sqlite3.SQLITE_INTEGER:
		n := sqlite3.Xsqlite3_column_int64(s.tls, s.at, i)
		switch to := to.(type) {
		case *int64:
			*to = n
			return nil
		case *int:
			if int64(int(n)) == n {
				*to = int(n)
				return nil
			}
		case *bool:
			if n == 0 || n == 1 {
				*to = n == 1
				return nil
			}
		case *storedTime:
			to.setMicros(n)
			return nil
		}
	case sqlite3.SQLITE_TEXT:
		if to, ok := to.(*string); ok {
			*to = string(s.bytesOf(i))
			return nil
		}
	case sqlite3.SQLITE_BLOB:
		switch to := to.(type) {
		case *storedDigest:
			return to.setDigest(s.bytesOf(i))
		case *storedBytes:
			to.setBytes(s.bytesOf(i))
			return nil
		}
	}
	switch to := to.(type) {
	case sql.Scanner:
		return to.Scan(s.valueOf(i, kind))
	case *any:
		*to = s.valueOf(i, kind)
		return nil
	}
	// A number with a fraction, or a named type, such as a state or the number of a document.
	if v := reflect.ValueOf(to); v.Kind() == reflect.Pointer && !v.IsNil() {
		e := v.Elem()
		switch kind {
		case sqlite3.SQLITE_FLOAT:
			if e.CanFloat() {
				e.SetFloat(sqlite3.Xsqlite3_column_double(s.tls, s.at, i))
				return nil
			}
		case sqlite3.SQLITE_TEXT:
			if e.Kind() == reflect.String {
				e.SetString(string(s.bytesOf(i)))
				return nil
			}
		case sqlite3.SQLITE_INTEGER:
			n := sqlite3.Xsqlite3_column_int64(s.tls, s.at, i)
			switch {
			case e.CanInt() && !e.OverflowInt(n):
				e.SetInt(n)
				return nil
			case e.CanUint() && n >= 0 && !e.OverflowUint(uint64(n)):
				e.SetUint(uint64(n))
				return nil
			}
		}
	}
	return fmt.Errorf("a value of type %T cannot be scanned into %T", s.valueOf(i, kind), to)
}

// bytesOf returns the bytes of a column of text or bytes, which are those of SQLite until the next step.
func (s *compiledStatement) bytesOf(i int32) []byte {
	at := sqlite3.Xsqlite3_column_blob(s.tls, s.at, i) // of text, its UTF-8: the encoding of our databases
	n := int(sqlite3.Xsqlite3_column_bytes(s.tls, s.at, i))
	if at == 0 || n == 0 {
		return nil
	}
	return libc.GoBytes(at, n)
}

// valueOf returns a column. It shares no memory with SQLite.
func (s *compiledStatement) valueOf(i, kind int32) any {
	switch kind {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(s.tls, s.at, i)
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(s.tls, s.at, i)
	case sqlite3.SQLITE_TEXT:
		return string(s.bytesOf(i))
	case sqlite3.SQLITE_BLOB:
		return append([]byte(nil), s.bytesOf(i)...)
	}
	return nil
}
