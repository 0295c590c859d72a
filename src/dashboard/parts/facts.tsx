import type { ComponentChildren, JSX } from 'preact'

/** A name with its value. */
export interface Fact {
  readonly name: string
  /** A fact whose value is `undefined` or `false` is left out. */
  readonly value: ComponentChildren
}

/** Names with their values, in columns. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts
        .filter(({ value }) => value !== undefined && value !== false)
        .map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
