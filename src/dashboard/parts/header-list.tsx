import type { JSX } from 'preact'

interface HeaderListProps {
  /** Names with their values. */
  readonly headers: readonly (readonly [string, string])[]
  /** Whether the list is open at first; by default it is closed. */
  readonly isOpen?: boolean
}

/** The headers of a message, below their number. */
export function HeaderList({ headers, isOpen = false }: HeaderListProps): JSX.Element {
  return (
    <details open={isOpen}>
      <summary>{headers.length} headers</summary>
      <dl class="headers">
        {headers.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
