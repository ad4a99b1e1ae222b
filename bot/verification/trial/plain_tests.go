// Package testing is what tests of Go call where no test tool runs them: a plain program does, one after the other.
package testing

import (
	"fmt"
	"os"
)

type stop struct{}

// T is one test. It ends where it fails for good, as with the tool.
type T struct {
	name            string
	failed, skipped bool
	after           []func()
}

// TB is what helpers of tests ask for.
type TB interface {
	Cleanup(func())
	Error(...interface{})
	Errorf(string, ...interface{})
	Fail()
	FailNow()
	Failed() bool
	Fatal(...interface{})
	Fatalf(string, ...interface{})
	Helper()
	Log(...interface{})
	Logf(string, ...interface{})
	Name() string
	Setenv(key, value string)
	Skip(...interface{})
	SkipNow()
	Skipf(string, ...interface{})
	Skipped() bool
	TempDir() string
}

// B, F and PB are built and never run.
type B struct {
	T
	N int
}

type F struct{ T }

type PB struct{}

func (*B) Loop() bool                { return false }
func (*B) ReportAllocs()             {}
func (*B) ResetTimer()               {}
func (*B) SetBytes(int64)            {}
func (*B) StartTimer()               {}
func (*B) StopTimer()                {}
func (*B) Run(string, func(*B)) bool { return true }
func (*B) RunParallel(func(*PB))     {}
func (*PB) Next() bool               { return false }
func (*F) Add(...interface{})        {}
func (*F) Fuzz(interface{})          {}

func Short() bool   { return false }
func Testing() bool { return false }
func Verbose() bool { return false }

func (t *T) Cleanup(f func())              { t.after = append(t.after, f) }
func (t *T) Error(...interface{})          { t.failed = true }
func (t *T) Errorf(string, ...interface{}) { t.failed = true }
func (t *T) Fail()                         { t.failed = true }
func (t *T) FailNow()                      { t.failed = true; panic(stop{}) }
func (t *T) Failed() bool                  { return t.failed }
func (t *T) Fatal(...interface{})          { t.FailNow() }
func (t *T) Fatalf(string, ...interface{}) { t.FailNow() }
func (t *T) Helper()                       {}
func (t *T) Log(...interface{})            {}
func (t *T) Logf(string, ...interface{})   {}
func (t *T) Name() string                  { return t.name }
func (t *T) Parallel()                     {}
func (t *T) Skip(...interface{})           { t.SkipNow() }
func (t *T) SkipNow()                      { t.skipped = true; panic(stop{}) }
func (t *T) Skipf(string, ...interface{})  { t.SkipNow() }
func (t *T) Skipped() bool                 { return t.skipped }

func (t *T) Run(name string, f func(*T)) bool {
	part := &T{name: t.name + "/" + name}
	part.do(f)
	t.failed = t.failed || part.failed
	return !part.failed
}

func (t *T) Setenv(key, value string) {
	before, was := os.LookupEnv(key)
	os.Setenv(key, value)
	t.Cleanup(func() {
		if os.Unsetenv(key); was {
			os.Setenv(key, before)
		}
	})
}

func (t *T) TempDir() string {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		t.FailNow()
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func (t *T) do(f func(*T)) {
	defer func() {
		if found := recover(); found != nil {
			_, ends := found.(stop)
			t.failed = t.failed || !ends
		}
		for at := len(t.after) - 1; at >= 0; at-- {
			t.after[at]()
		}
	}()
	f(t)
}

// Case is a test by the name that the tool gives it.
type Case struct {
	Name string
	Test func(*T)
}

// Tell makes tests in a folder, and writes down which begin, and whether they pass.
func Tell(into, folder string, cases []Case) {
	told, err := os.OpenFile(into, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil || os.Chdir(folder) != nil {
		return
	}
	for _, each := range cases {
		fmt.Fprintln(told, each.Name, "begun")
		test := &T{name: each.Name}
		test.do(each.Test)
		fmt.Fprintln(told, each.Name, !test.failed)
	}
}
