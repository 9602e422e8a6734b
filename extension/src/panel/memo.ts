import { Component, type ComponentChildren, type ComponentType } from 'preact';

// memo draws a component again only when one of its props is another object than before.
export function memo<P extends object>(draw: (p: P) => ComponentChildren): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Record<string, unknown>, then = next as Record<string, unknown>;
      return Object.keys(then).some((k) => then[k] !== now[k]);
    }
    override render(): ComponentChildren { return draw(this.props as P); }
  };
}
