package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/wb-agent/wb/kernel"
	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
)

func (a *app) agentOptions() agent.Options {
	o := agent.Options{
		Caller: a.kernel, Specs: a.tools.Specs, Clock: ports.ClockFunc(time.Now), NewID: newID,
		Runs: a.store, Records: a.store, Refusals: a.guard.Refusals, Begin: a.beginRun, End: a.endRun,
		Validate: kernel.Validator, Locale: a.config().Locale,
		Endpoint: func(id string) (ports.Endpoint, error) { return a.config().endpoint(id) },
		Result: func(ctx context.Context, rec ports.Record) (ports.Result, error) {
			return journal.ResultOf(ctx, a.store, rec)
		},
	}
	o.Refs = func(n int) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.refs = max(a.refs, n)
	}
	if a.config().Journal == "full" {
		o.Redact = a.redact.JSON
	}
	return o
}

// runTask runs a task to its end as the person's own call.
func (a *app) runTask(ctx context.Context, t agent.Task, emit func(ports.Event)) (agent.Outcome, error) {
	var out agent.Outcome
	res, err := a.kernel.Call(ctx, ports.Call{From: ports.FromUser, Tool: "agent.run", Args: ports.JSON(t), Emit: emit})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(res.Data, &out)
}

// beginRun gives a run its lease, its policy and its profile. A run that a plugin started works under the
// policy of the run it was started from, whatever its own goal says.
func (a *app) beginRun(ctx context.Context, run string, by ports.Call, t agent.Task) error {
	parent := by.Run
	if err := a.leases.take(ctx, "run:"+run); err != nil {
		return err
	}
	policy := a.guard.Policy(parent)
	if parent != "" {
		a.browser.Share(run, parent)
	} else {
		var err error
		if policy, err = policyFor(a.config(), t); err != nil {
			return err
		}
		policy.Reach, policy.Grants = a.fetchGrants()
		lent := a.lent != nil && by.Tab != ""
		if lent {
			if err := a.lend(ctx, run, by.Tab, &policy); err != nil {
				return err
			}
		}
		a.mu.Lock()
		a.root = run
		a.mu.Unlock()
		if dir := a.profileDir(); dir != "" && !lent {
			if err := a.store.Put(ctx, hostSpace, "profile:"+run, []byte(dir)); err != nil {
				return err
			}
		}
	}
	a.guard.Begin(run, policy)
	return nil
}

// lend lets a run work in a tab of the person's own, and write to what it shows: the person started it there.
func (a *app) lend(ctx context.Context, run, tab string, policy *guard.Policy) error {
	at, ok := a.lent(tab)
	if !ok {
		return ports.NewError(ports.CodeTabGone, "the tab is not lent", "start the run again")
	}
	t, err := at.browser.Tab(ctx, tab)
	if err != nil {
		return err
	}
	info, err := t.Info(ctx)
	if err != nil {
		return err
	}
	if o := guard.OriginOf(info.URL); o != "" {
		policy.Origins = append(policy.Origins, o)
	}
	a.browser.Lend(run, at.browser, tab)
	return a.store.Put(ctx, hostSpace, tabOf+run, []byte(at.client+" "+at.number)) // where a later daemon picks it up
}

func (a *app) endRun(run string) {
	a.guard.End(run)
	a.browser.EndRun(run)
	for _, p := range a.plugins {
		p.EndRun(run)
	}
	a.leases.give("run:" + run)
}

// hostSpace is where the host keeps its own values; no plugin's id has a dot.
const hostSpace = "wb.host"

// profileDir is the browser's profile: the person's, the resumed run's, or a new one of this process.
// Ours is removed when the run has ended well, and kept for --resume otherwise.
func (a *app) profileDir() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.profile == "" {
		a.profile = a.config().Browser.Profile
	}
	if a.profile == "" && a.resume != "" {
		if dir, ok, err := a.store.Get(context.Background(), hostSpace, "profile:"+a.resume); err == nil && ok {
			a.profile = string(dir)
		}
	}
	if a.profile == "" {
		a.profile = filepath.Join(a.config().DataDir, "profiles", newID())
	}
	return a.profile
}

// finished closes the browser, removes the profile that wb made for it once nobody will go on with it, and
// drops what the retention no longer keeps.
func (a *app) finished(status string) {
	if err := a.browser.Close(); err != nil {
		a.log.Warn("browser", "err", err)
	}
	profiles := filepath.Join(a.config().DataDir, "profiles")
	if dir := a.profileDir(); filepath.Dir(dir) == profiles && status != agent.StatusStopped && status != agent.StatusNeedsUser {
		a.drop(dir)
	}
	keep := a.config().Retention
	ctx := context.Background() // also after a run that was stopped
	if _, err := a.store.Prune(ctx, ports.Retention{Runs: keep.Runs, Age: keep.Age, Bytes: keep.SizeMB << 20}); err != nil {
		a.log.Warn("retention", "err", err)
	}
	old, err := os.ReadDir(profiles)
	if err != nil {
		return // none was ever made
	}
	for _, d := range old { // of runs that were killed and never resumed
		if info, err := d.Info(); err == nil && keep.Age > 0 && time.Since(info.ModTime()) > keep.Age {
			a.drop(filepath.Join(profiles, d.Name()))
		}
	}
}

func (a *app) drop(profile string) {
	if err := os.RemoveAll(profile); err != nil {
		a.log.Warn("profile not removed", "dir", profile, "err", err)
	}
}

// startBrowser starts or attaches to the browser, with the origin fence up.
func (a *app) startBrowser(ctx context.Context) (ports.Browser, error) {
	br, err := a.openBrowser(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	refs := a.refs
	a.mu.Unlock()
	br.RefsAbove(refs)
	br.Fence(a.judge)
	return br, nil
}

func (a *app) openBrowser(ctx context.Context) (*cdp.Browser, error) {
	b := a.config().Browser
	if strings.Contains(b.Path, "://") {
		return cdp.Attach(ctx, b.Path)
	}
	o := cdp.Options{Profile: a.profileDir(), Headed: b.Headed, Args: b.Args}
	if b.Path != "auto" {
		o.Path = b.Path
	}
	return cdp.Launch(ctx, o)
}

// judge is the fence: a page's own navigation is held to the policy of the run that works in its tab.
func (a *app) judge(n ports.Navigation) error {
	run := a.browser.RunOf(n.Tab)
	if run == "" && n.Opener != "" {
		run = a.browser.RunOf(n.Opener)
	}
	if run == "" {
		a.mu.Lock()
		run = a.root
		a.mu.Unlock()
	}
	return guard.Navigation(a.guard.Policy(run), n)
}

// leases are the rights of this process to work on things, renewed while it lives.
type leases struct {
	store ports.RunStore
	owner string
	stop  context.CancelFunc
	done  chan struct{}

	mu   sync.Mutex
	held map[string]ports.Lease
}

const leaseTime = 30 * time.Second

func newLeases(store ports.RunStore) *leases {
	ctx, cancel := context.WithCancel(context.Background())
	l := &leases{store: store, owner: owner(), stop: cancel, done: make(chan struct{}), held: map[string]ports.Lease{}}
	go l.renew(ctx)
	return l
}

func (l *leases) take(ctx context.Context, name string) error {
	now := time.Now()
	lease := ports.Lease{Owner: l.owner, Started: now, Expires: now.Add(leaseTime)}
	if err := l.store.Lease(ctx, name, lease); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[name] = lease
	return nil
}

func (l *leases) give(name string) {
	l.mu.Lock()
	lease, ok := l.held[name]
	delete(l.held, name)
	l.mu.Unlock()
	if ok {
		lease.Expires = time.Time{}
		_ = l.store.Lease(context.Background(), name, lease) // it runs out by itself
	}
}

// renew is the heartbeat.
func (l *leases) renew(ctx context.Context) {
	defer close(l.done)
	t := time.NewTicker(leaseTime / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		l.mu.Lock()
		for name, lease := range l.held {
			lease.Expires = time.Now().Add(leaseTime)
			_ = l.store.Lease(ctx, name, lease) // tried again at the next beat
		}
		l.mu.Unlock()
	}
}

func (l *leases) close() error {
	l.stop()
	<-l.done
	l.mu.Lock()
	names := make([]string, 0, len(l.held))
	for n := range l.held {
		names = append(names, n)
	}
	l.mu.Unlock()
	for _, n := range names {
		l.give(n)
	}
	return nil
}
