import { Component, type ComponentChildren, type ComponentType } from 'preact';

// memo draws a component again only when one of its props is another object than before.
export function memo<P extends object>(draw: (p: P) => ComponentChildren): ComponentType<P> {
  return class extends Component<P, { broken: boolean }> {
    override shouldComponentUpdate(next: Readonly<P>, nextState: { broken: boolean }): boolean {
      const now = this.props as Record<string, unknown>, then = next as Record<string, unknown>;
      return nextState.broken !== this.state.broken || Object.keys(then).some((k) => then[k] !== now[k]);
    }
    override state = { broken: false };
    override componentDidCatch(e: unknown): void { console.error(e); this.setState({ broken: true }); } // one part fails, the panel stands
    override render(): ComponentChildren { return this.state.broken ? null : draw(this.props as P); }
  };
}
